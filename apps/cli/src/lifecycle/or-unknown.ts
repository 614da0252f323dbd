import type { DaemonClient } from '../connect/daemon-client.ts'
import { orDidYouMean } from '../output/did-you-mean.ts'

/** Does the work; a workload that is not found is answered with those of a similar name. */
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
