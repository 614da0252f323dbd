import type { DaemonClient } from '../../connect/daemon-client.ts'
import { orDidYouMean } from '../../output/did-you-mean.ts'

/** Runs the work. The error for an unknown group suggests the one that the user may have meant. */
export async function orGroupMeant<Result>(
  daemon: DaemonClient,
  wanted: readonly string[],
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const known = async () => (await daemon.call('listGroups', {}, signal)).groups.map(({ name }) => name)
  return orDidYouMean({ wanted, known, seeAll: 'thv group list' }, work)
}
