import type { WorkloadEvent } from '@toolhaven/contract/system'
import { conflict, unavailable } from '@toolhaven/core/errors'
import type { DaemonClient } from '../connect/daemon-client.ts'
import type { Output } from './output.ts'
import { progressLine } from './progress-line.ts'

export interface Waiting {
  out: Pick<Output, 'transient'>
  signal: AbortSignal
  /** True when the error is one that goes on being waited for. */
  isPassing?: (context: string) => boolean
}

const GOALS = { stop: 'stopped', restart: 'running', run: 'running', delete: 'removed' } as const

/**
 * Follows the daemon's events until every workload has reached its goal. What happens meanwhile is shown on one line of
 * a terminal; workloads that end in an error are told together, once nothing more is waited for.
 */
export async function waitForOutcome(
  { out, signal, isPassing }: Waiting,
  client: DaemonClient,
  names: readonly string[],
  verb: keyof typeof GOALS,
): Promise<void> {
  const waiting = new Set(names)
  const failures = new Map<string, string>()
  // The stream has no end of its own: left open, it would keep the program from ending.
  const enough = new AbortController()
  const events = await client.stream('streamEvents', {}, AbortSignal.any([signal, enough.signal]))
  try {
    // What was gone before the stream began sends no more events.
    if (verb === 'delete') await forgetGone(client, waiting, signal)
    if (waiting.size === 0) return
    for await (const data of events) {
      const event = parseEvent(data)
      if (!waiting.has(event.workload)) continue
      const isFailure = event.status === 'error' && verb !== 'delete' && !isPassing?.(event.status_context)
      if (isFailure) failures.set(event.workload, event.status_context)
      if (isFailure || event.status === GOALS[verb]) waiting.delete(event.workload)
      if (waiting.size === 0) break
      out.transient(progressLine(event))
    }
  } finally {
    enough.abort()
    out.transient('')
  }
  if (failures.size > 0) throw conflict([...failures].map(([name, why]) => `${name}: ${why}`).join('\n'))
  if (waiting.size > 0)
    throw unavailable('the daemon is stopping; "thv list --all" starts it again and shows how far it got')
}

async function forgetGone(client: DaemonClient, waiting: Set<string>, signal: AbortSignal): Promise<void> {
  const { workloads } = await client.call('listWorkloads', { query: { all: true } }, signal)
  const present = new Set(workloads.map(({ name }) => name))
  for (const name of waiting) if (!present.has(name)) waiting.delete(name)
}

function parseEvent(data: string): WorkloadEvent {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- sent by the daemon, which is this very program
  return JSON.parse(data) as WorkloadEvent
}
