import type { ChangedField, ToolChange } from '@toolhaven/contract/tools'
import type { LockedTool } from '../ports/stores.ts'
import { visibleText } from './visible-text.ts'
import { wordDifference, type Budget } from './word-difference.ts'

/** Of all fields of all tools together: about a second of work at most. */
const MOST_STEPS = 20_000_000

/** What became of the tools that were accepted, by name; only what is another. Nothing in it is hidden. */
export function toolDifference(accepted: readonly LockedTool[], seen: readonly LockedTool[]): ToolChange[] {
  const budget = { steps: MOST_STEPS }
  return changedTools(accepted, seen).map(({ tool, kind, before, after }) => ({
    tool: visibleText(tool),
    kind,
    ...(before && { accepted_hash: before.hash }),
    ...(after && { hash: after.hash }),
    fields: fieldDifference(before, after, budget),
  }))
}

interface Changed {
  tool: string
  kind: ToolChange['kind']
  before: LockedTool | undefined
  after: LockedTool | undefined
}

export function changedTools(accepted: readonly LockedTool[], seen: readonly LockedTool[]): Changed[] {
  const [before, after] = [byName(accepted), byName(seen)]
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return names.flatMap((tool) => {
    const change = { tool, before: before.get(tool), after: after.get(tool) }
    if (change.before?.hash === change.after?.hash) return []
    return [{ ...change, kind: change.before ? (change.after ? 'changed' : 'removed') : 'added' } as const]
  })
}

function byName(tools: readonly LockedTool[]): Map<string, LockedTool> {
  return new Map(tools.map((tool) => [tool.name, tool]))
}

function fieldDifference(before: LockedTool | undefined, after: LockedTool | undefined, budget: Budget) {
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  const paths = [...new Set([...old.keys(), ...now.keys()])].toSorted(inReadingOrder)
  return paths.flatMap((path): ChangedField[] => {
    const [from, to] = [old.get(path), now.get(path)]
    if (from === to) return []
    return [{ field: path, parts: wordDifference(from ?? '', to ?? '', budget) }]
  })
}

/** What a model reads first, first. */
const FIRST = ['title', 'description']

function inReadingOrder(a: string, b: string): number {
  const rank = (path: string) => (FIRST.includes(path) ? FIRST.indexOf(path) : FIRST.length)
  return rank(a) - rank(b) || (a < b ? -1 : 1)
}

/** Every value of a definition under its path; a list of plain values is one value. */
function fieldsOf(tool: LockedTool | undefined): Map<string, string> {
  const fields = new Map<string, string>()
  const collect = (value: unknown, path: string): void => {
    const isWhole = typeof value !== 'object' || value === null
    const inner = isWhole ? [] : Object.entries(value)
    if (isWhole || inner.length === 0 || (Array.isArray(value) && value.every(isPlain))) {
      fields.set(path, visibleText(typeof value === 'string' ? value : listed(value)))
    } else for (const [key, item] of inner) collect(item, pathTo(path, key, Array.isArray(value)))
  }
  if (tool) collect(JSON.parse(tool.definition), '')
  // It is the same by definition.
  fields.delete('name')
  return fields
}

const isPlain = (value: unknown) => typeof value !== 'object' || value === null

function listed(value: unknown): string {
  return Array.isArray(value) && value.length > 0 ? value.map(String).join(', ') : JSON.stringify(value)
}

function pathTo(path: string, key: string, isIndex: boolean): string {
  if (isIndex) return `${path}[${key}]`
  const step = /^[\w$-]+$/.test(key) ? key : `["${visibleText(key)}"]`
  return path === '' || step.startsWith('[') ? `${path}${step}` : `${path}.${step}`
}
