import type { WorkloadEvent } from '@toolhaven/contract/events'
import type { DaemonClient } from '../connect/daemon-client.ts'
import type { Context } from '../context.ts'
import { progressLine } from '../output/progress-line.ts'

/** Shows the progress of a workload on one line of the terminal while the work runs. */
export async function showProgress<Result>(
  { out, signal }: Context,
  client: DaemonClient,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const enough = new AbortController()
  const events = await client.stream('streamEvents', {}, AbortSignal.any([signal, enough.signal]))
  const follow = async () => {
    for await (const data of events) {
      // oxlint-disable-next-line typescript/consistent-type-assertions -- sent by the daemon, which is this very program
      const event = JSON.parse(data) as WorkloadEvent
      if (event.workload === name) out.transient(progressLine(event))
    }
  }
  // This is only a display; the work itself reports the outcome.
  const following = follow().catch(() => undefined)
  try {
    return await work()
  } finally {
    enough.abort()
    await following
    out.transient('')
  }
}
