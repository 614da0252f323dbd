import type { BulkRequest } from '@toolhaven/contract/workloads'
import { notFound } from '../../errors.ts'
import type { StoredWorkload } from '../../ports/stores.ts'
import type { WorkloadsDeps } from '../workloads-deps.ts'

export type Verb = 'stop' | 'restart' | 'delete'

/** What each verb stores. The supervisor does the rest. */
const CHANGES: Record<Verb, (stored: StoredWorkload) => StoredWorkload> = {
  stop: (stored) => ({ ...stored, wanted: 'stopped' }),
  restart: (stored) => ({ ...stored, wanted: 'running', generation: stored.generation + 1 }),
  delete: (stored) => ({ ...stored, wanted: 'absent' }),
}

/** Stops, restarts or deletes one workload. Stopping a stopped workload does nothing. */
export async function changeLifecycle(deps: WorkloadsDeps, name: string, verb: Verb): Promise<void> {
  const change = (stored: StoredWorkload) => {
    if (stored.wanted === 'absent') throw notFound(`workload ${name} is being removed`)
    return CHANGES[verb](stored)
  }
  await deps.book.change(name, change, { forgetsFailure: true })
  await deps.journal.append({ actor: 'api', action: verb, target: name })
  deps.poke(name)
  void deps.syncClients()
}

/** The same for several, by name or by group. If a name is unknown, does nothing. */
export async function changeLifecycles(deps: WorkloadsDeps, request: BulkRequest, verb: Verb): Promise<void> {
  const names = request.names ? checkedNames(deps, request.names) : namesOfGroup(deps, request.group ?? '')
  await Promise.all(names.map((name) => changeLifecycle(deps, name, verb)))
}

function checkedNames(deps: WorkloadsDeps, names: readonly string[]): string[] {
  const unknown = names.filter((name) => isGone(deps, name))
  if (unknown.length > 0) throw notFound(`workload ${unknown.join(', ')} not found; nothing was done`)
  return [...new Set(names)]
}

function namesOfGroup(deps: WorkloadsDeps, group: string): string[] {
  if (!deps.groupExists(group)) throw notFound(`group ${group} not found`)
  const members = deps.book.all().filter(({ stored }) => stored.config.group === group && stored.wanted !== 'absent')
  return members.map(({ stored }) => stored.config.name)
}

function isGone(deps: WorkloadsDeps, name: string): boolean {
  const entry = deps.book.find(name)
  return !entry || entry.stored.wanted === 'absent'
}
