import type { AcceptToolsRequest, ToolLock } from '@toolhaven/contract/tools'
import { conflict, notFound } from '../errors.ts'
import type { LockedTool } from '../ports/stores.ts'
import type { WorkloadsDeps } from '../workloads/workloads-deps.ts'
import { changedTools, toolDifference } from './tool-difference.ts'

type Deps = Pick<WorkloadsDeps, 'book' | 'toolLocks' | 'journal' | 'gateway'>

/** Which tools were accepted, and what the server has instead. */
export function getToolLock({ book, toolLocks }: Deps, given: string): ToolLock {
  const { config } = book.get(given).stored
  const { name } = config
  const lock = toolLocks.of(name)
  if (!lock) throw conflict(`the tools of ${name} were not seen yet: start it, or wait until a client lists them`)
  const { seen } = lock
  const changes = seen ? changedTools(lock.tools, seen.tools) : []
  const kinds = new Map(changes.map(({ tool, kind }) => [tool, kind]))
  const added = changes.flatMap(({ kind, after }) => (kind === 'added' && after ? [after] : []))
  const shown = (tool: LockedTool) => ({
    name: tool.name,
    hash: tool.hash,
    state: kinds.get(tool.name) ?? ('unchanged' as const),
    definition: JSON.parse(tool.definition),
  })
  return {
    name,
    mode: config.tools_changed ?? 'warn',
    since: lock.since,
    ...(seen && { seen_at: seen.at, revision: seen.revision }),
    tools: [...lock.tools, ...added].map(shown),
    changes: seen ? toolDifference(lock.tools, seen.tools) : [],
  }
}

export async function acceptTools(
  deps: Deps,
  given: string,
  { tools, revision }: AcceptToolsRequest,
): Promise<ToolLock> {
  const { stored } = deps.book.get(given)
  const { name } = stored.config
  if (stored.wanted === 'absent') throw notFound(`workload ${name} is being removed`)
  const accepted = await deps.toolLocks.accept(name, tools, revision)
  if (accepted.length > 0) {
    await deps.journal.append({ actor: 'api', action: 'accept-tools', target: name, detail: { tools: accepted } })
    // Clients see the tools they could not see before.
    deps.gateway.toolsAccepted(name)
  }
  return getToolLock(deps, name)
}
