import type { DaemonClient } from '../../connect/daemon-client.ts'
import { orDidYouMean } from '../../output/did-you-mean.ts'
import { orSetUp } from './or-set-up.ts'

/** Does the work on one secret; an unknown one is told with the one that was perhaps meant. */
export async function orSecretMeant<Result>(
  daemon: DaemonClient,
  name: string,
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  // Without a provider there are no names to compare with.
  await orSetUp(() => daemon.call('getSecretsProvider', {}, signal))
  const known = async () => (await daemon.call('listSecrets', {}, signal)).keys.map(({ key }) => key)
  return orDidYouMean({ wanted: [name], known, seeAll: 'thv secret list' }, work)
}
