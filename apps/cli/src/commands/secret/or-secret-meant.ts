import type { DaemonClient } from '../../connect/daemon-client.ts'
import { orDidYouMean } from '../../output/did-you-mean.ts'
import { orSetUp } from './or-set-up.ts'

/** Runs the work on one secret. The error for an unknown secret suggests the one that the user may have meant. */
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
