import type { DaemonClient } from '../connect/daemon-client.ts'
import { orDidYouMean } from '../output/did-you-mean.ts'

/** Runs the work. The error for an unknown name suggests a similar one, and the tool that lists all servers. */
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
