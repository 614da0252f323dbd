import type { BuiltImage } from '@toolhaven/contract/builds'
import type { InspectionEvent } from '@toolhaven/contract/inspections'
import type { WorkloadEvent } from '@toolhaven/contract/events'
import type { CallInput } from '@toolhaven/contract/client'
import { unavailable } from '@toolhaven/core/errors'
import { type DaemonClient, failureOf } from '../connect/daemon-client.ts'
import { withBar } from './progress-line.ts'
import type { Waiting } from './wait-for-outcome.ts'

type Result = Extract<InspectionEvent, { state: 'ready' }> | ({ state: 'done' } & BuiltImage)
type TaskEvent =
  | Result
  | { state: 'working'; progress: NonNullable<WorkloadEvent['progress']> }
  | { state: 'failed'; status: number; message: string }

/** Shows the progress of a task and yields its events, until the daemon ends it or the signal aborts. */
export async function* followTask<Id extends 'buildPackage' | 'inspectWorkload'>(
  { out, signal }: Waiting,
  client: DaemonClient,
  id: Id,
  input: CallInput<Id>,
): AsyncGenerator<Result> {
  // The stream keeps the task alive, so ending the stream ends the task.
  const enough = new AbortController()
  const events = await client.stream(id, input, AbortSignal.any([signal, enough.signal]))
  try {
    for await (const data of events) {
      const event = parseEvent(data)
      if (event.state === 'failed') throw failureOf(event.status, event.message)
      if (event.state !== 'working') yield event
      else out.transient(withBar(`${event.progress.phase} ${event.progress.detail ?? ''}`.trim(), event.progress))
    }
  } finally {
    enough.abort()
    out.transient('')
  }
  if (!signal.aborted) throw unavailable('the daemon is stopping; "thv serve" or any other command starts it again')
}

function parseEvent(data: string): TaskEvent {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- sent by the daemon, which is this very program
  return JSON.parse(data) as TaskEvent
}
