import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { quoted } from '../parts/quoted.ts'
import type { ToolPlan } from './tool-list.ts'

/** By the server's name of a tool: how clients see it. */
export type ToolNames = NonNullable<WorkloadDetails['tools_override']>

export interface NameChange {
  name: string
  description: string
}

/** What was typed, put onto what is in force. Empty fields take the server's own again. */
export function applyNames(inForce: ToolNames, typed: ReadonlyMap<string, NameChange>): ToolNames {
  const changed = [...typed].map(([tool, { name, description }]): [string, ToolNames[string]] => [
    tool,
    {
      ...(name.trim() !== '' && name.trim() !== tool && { name: name.trim() }),
      ...(description.trim() !== '' && { description: description.trim() }),
    },
  ])
  const kept = Object.entries(inForce).filter(([tool]) => !typed.has(tool))
  return Object.fromEntries([...kept, ...changed].filter(([, names]) => Object.keys(names).length > 0))
}

export function namesOf(names: ToolNames, tool: string): NameChange {
  const { name = '', description = '' } = Object.hasOwn(names, tool) ? (names[tool] ?? {}) : {}
  return { name, description }
}

/** Tools whose names or descriptions are others afterwards, in sentences. */
export function describeNames(before: ToolNames, after: ToolNames): string[] {
  const tools = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  return tools.flatMap((tool) => {
    const [old, next] = [namesOf(before, tool), namesOf(after, tool)]
    const [oldName, nextName] = [old.name || tool, next.name || tool]
    return [
      ...(oldName === nextName ? [] : [`Clients see ${oldName} as ${nextName}.`]),
      ...(old.description === next.description ? [] : [descriptionSentence(nextName, next.description)]),
    ]
  })
}

function descriptionSentence(tool: string, description: string): string {
  return description === '' ? `${tool} has the description of the server again.` : `${tool} says: ${description}`
}

/** The command that does the same. Names come from a file, which is the second text. */
export function toolsCommand(
  server: string,
  filter: ToolPlan['filter'] | undefined,
  names: ToolNames | undefined,
): { command: string; file: string | undefined } {
  const hasNames = names !== undefined && Object.keys(names).length > 0
  const words = [
    ...['thv', 'edit', server],
    ...(filter === undefined ? [] : filter.length === 0 ? ['--unset', 'tools'] : ['--tools', filter.join(',')]),
    ...(names === undefined ? [] : hasNames ? ['--tools-override', 'names.json'] : ['--unset', 'tools-override']),
  ]
  return {
    command: words.map(quoted).join(' '),
    file: hasNames ? JSON.stringify(names, undefined, 2) : undefined,
  }
}
