import type { RunConfig } from '@toolhaven/contract/run-config'
import type { AcceptToolsRequest, LockPart, ToolLock } from '@toolhaven/contract/tools'
import { conflict, notFound } from '../errors.ts'
import type { LockedDefinition, StoredToolLock } from '../ports/stores.ts'
import type { WorkloadsDeps } from '../workloads/workloads-deps.ts'
import { allAccepted, waitingChanges, waitingLists } from './locked-part.ts'
import { toolDifference } from './tool-difference.ts'
import { revisionOf } from './tool-locks.ts'

type Deps = Pick<WorkloadsDeps, 'book' | 'toolLocks' | 'journal' | 'gateway'>

/** The accepted tools, prompts, … of a workload, and what the server has instead. */
export function getToolLock({ book, toolLocks }: Deps, given: string): ToolLock {
  const { config } = book.get(given).stored
  const { name } = config
  const lock = toolLocks.of(name)
  if (!lock || isOnlyGreeting(lock))
    throw conflict(`the tools of ${name} have not been seen yet: start it, or wait until a client lists them`)
  return shownLock(config, lock)
}

/**
 * If each client has its own process, the instructions are known before any list. An empty list would then look as if the server
 * had no tools. A change that waits to be accepted is shown anyway.
 */
function isOnlyGreeting({ parts }: StoredToolLock): boolean {
  const { instructions, ...lists } = parts
  return Object.keys(lists).length === 0 && instructions?.seen === undefined
}

function shownLock({ name, tools_changed: mode }: RunConfig, lock: StoredToolLock): ToolLock {
  const { parts } = lock
  const [instructions] = shownPart(parts.instructions)
  const revision = revisionOf(lock)
  // The times have one format, so sorting the texts sorts the times.
  const [seenAt] = Object.values(parts)
    .flatMap((part) => waitingLists(part).map(({ at }) => at))
    .toSorted()
  return {
    ...{ name, mode: mode ?? 'warn', since: lock.since },
    ...(seenAt !== undefined && { seen_at: seenAt }),
    ...(revision !== undefined && { revision }),
    tools: shownPart(parts.tool),
    prompts: shownPart(parts.prompt),
    resource_templates: shownPart(parts.resource_template),
    ...(instructions && { instructions }),
    changes: toolDifference(lock),
  }
}

type Part = StoredToolLock['parts'][LockPart]

function shownPart(part: Part): ToolLock['tools'] {
  if (part === undefined) return []
  const changes = waitingChanges(part)
  const kinds = new Map(changes.map(({ name, kind }) => [name, kind]))
  const added = changes.flatMap(({ kind, after }) => (kind === 'added' && after ? [after] : []))
  return [...allAccepted(part), ...added].map(({ name, hash, definition }: LockedDefinition) => ({
    ...{ name, hash, state: kinds.get(name) ?? 'unchanged', definition: JSON.parse(definition) },
  }))
}

export async function acceptTools(deps: Deps, given: string, request: AcceptToolsRequest): Promise<ToolLock> {
  const { stored } = deps.book.get(given)
  const { name } = stored.config
  if (stored.wanted === 'absent') throw notFound(`workload ${name} is being removed`)
  const { revision, ...chosen } = request
  const accepted = await deps.toolLocks.accept(name, wantedOf(chosen), revision)
  if (accepted.length > 0) {
    const detail = Object.fromEntries(
      Object.entries(FIELDS).flatMap(([part, field]) => {
        const names = accepted.filter((change) => change.part === part).map((change) => change.name)
        return names.length > 0 ? [[field, names]] : []
      }),
    )
    await deps.journal.append({ actor: 'api', action: 'accept-tools', target: name, detail })
    // Clients can now see what was held back.
    deps.gateway.toolsAccepted(name, [...new Set(accepted.map(({ part }) => part))])
  }
  const lock = deps.toolLocks.of(name)
  return accepted.length > 0 && lock ? shownLock(stored.config, lock) : getToolLock(deps, name)
}

const FIELDS = {
  tool: 'tools',
  prompt: 'prompts',
  resource_template: 'resource_templates',
  instructions: 'instructions',
} as const satisfies Record<LockPart, string>

/** Undefined: all changes. */
function wantedOf({
  tools,
  prompts,
  resource_templates: templates,
  instructions,
}: Omit<AcceptToolsRequest, 'revision'>) {
  if ([tools, prompts, templates, instructions].every((chosen) => chosen === undefined)) return undefined
  return {
    tool: tools ?? [],
    prompt: prompts ?? [],
    resource_template: templates ?? [],
    instructions: instructions ? ['instructions'] : [],
  }
}
