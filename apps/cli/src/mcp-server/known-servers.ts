import type { DaemonClient } from '../connect/daemon-client.ts'
import { orDidYouMean } from '../output/did-you-mean.ts'

/** Does the work; an unknown name is answered with what may have been meant, and with the tool that lists them all. */
export function orKnownServer<Result>(
  client: DaemonClient,
  name: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const known = async () => {
    const { workloads } = await client.call('listWorkloads', { query: { all: true } }, signal)
    return workloads.map((workload) => workload.name)
  }
  return orDidYouMean({ wanted: [name], known, seeAll: 'list_servers' }, work)
}
