import type { DaemonClient } from '../connect/daemon-client.ts'
import { orDidYouMean } from '../output/did-you-mean.ts'

/** Runs the work. The error for an unknown workload suggests similar names. */
export function orUnknownWorkload<Result>(
  client: DaemonClient,
  wanted: readonly string[],
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const known = async () => {
    const { workloads } = await client.call('listWorkloads', { query: { all: true } }, signal)
    return workloads.map(({ name }) => name)
  }
  return orDidYouMean({ wanted, known, seeAll: 'thv list --all' }, work)
}

/** The same for a group. */
export function orUnknownGroup<Result>(
  client: DaemonClient,
  wanted: string | undefined,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  if (wanted === undefined) return work()
  const known = async () => {
    const { groups } = await client.call('listGroups', {}, signal)
    return groups.map(({ name }) => name)
  }
  return orDidYouMean({ wanted: [wanted], known, seeAll: 'thv group list' }, work)
}
