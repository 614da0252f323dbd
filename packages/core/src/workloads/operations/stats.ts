import type { WorkloadStats } from '@toolhaven/contract/stats'
import { notFound } from '../../errors.ts'
import type { Gateway } from '../../ports/gateway.ts'
import type { Masker } from '../../secrets/masker.ts'
import { hasOwnServers } from '../config/session-mode.ts'
import type { Entry, WorkloadBook } from '../running/book.ts'
import type { SessionInstances } from '../running/session-instances.ts'
import type { Measured, UsageMeter } from '../running/usage-meter.ts'

export interface StatsDeps {
  book: WorkloadBook
  groupExists: (name: string) => boolean
  sessions: Pick<SessionInstances, 'handlesOf'>
  gateway: Pick<Gateway, 'traffic'>
  meter: UsageMeter
  masker: Masker
}

/** The workloads that are wanted running; with `all`, every one. */
export async function listStats(
  deps: StatsDeps,
  { all, group }: { all?: boolean | undefined; group?: string | undefined },
  signal: AbortSignal,
): Promise<{ workloads: WorkloadStats[] }> {
  if (group !== undefined && !deps.groupExists(group)) throw notFound(`group ${group} not found`)
  const chosen = deps.book
    .all()
    .filter(({ stored }) => all || stored.wanted === 'running')
    .filter(({ stored }) => group === undefined || stored.config.group === group)
  return { workloads: await Promise.all(chosen.map((entry) => statsOf(deps, entry, signal))) }
}

export function getStats(deps: StatsDeps, name: string, signal: AbortSignal): Promise<WorkloadStats> {
  return statsOf(deps, deps.book.get(name), signal)
}

async function statsOf(deps: StatsDeps, entry: Entry, signal: AbortSignal): Promise<WorkloadStats> {
  const { name } = entry.stored.config
  const { cpuShare, memoryBytes, pids, notMeasured } = await measure(deps, entry, signal)
  const { sessions, calls, errors, p50Ms } = deps.gateway.traffic(name) ?? { sessions: 0, calls: 0, errors: 0 }
  return {
    name,
    status: deps.book.find(name) ? deps.book.status(name).status : 'removing',
    ...(cpuShare !== undefined && { cpu_percent: rounded(cpuShare * 100) }),
    ...(memoryBytes !== undefined && { memory_bytes: Math.round(memoryBytes) }),
    ...(pids !== undefined && { pids }),
    ...(notMeasured !== undefined && { not_measured: deps.masker.mask(notMeasured) }),
    ...{ sessions, calls_per_minute: calls, errors_per_minute: errors },
    ...(p50Ms !== undefined && { p50_ms: rounded(p50Ms) }),
  }
}

async function measure(
  { sessions, meter }: StatsDeps,
  { stored, observed }: Entry,
  signal: AbortSignal,
): Promise<Measured> {
  if (stored.config.remote_url !== undefined)
    return { notMeasured: 'it is a remote server, which does not run on this machine' }
  const own = observed.handle ? [observed.handle] : []
  const handles = [...own, ...(await sessions.handlesOf(stored.config.name))]
  if (handles.length > 0) return meter.measure(handles, signal)
  const waits = observed.connected && hasOwnServers(stored)
  return { notMeasured: waits ? 'its servers run only for clients, and none is connected' : 'it is not running' }
}

/** More digits would suggest a precision that such a figure does not have. */
const rounded = (value: number) => Number(value.toPrecision(value < 1 ? 1 : value < 100 ? 2 : 3))
