import type { WorkloadEvent } from '@toolhaven/contract/events'
import { conflict, unavailable } from '../../errors.ts'
import type { EventBus } from '../../event-bus.ts'
import type { WorkloadsDeps } from '../workloads-deps.ts'

interface Deps {
  events: EventBus
  workloads: Pick<WorkloadsDeps, 'book' | 'masker'>
  shutdown: AbortSignal
}

/** Resolves when the workload runs. Rejects with the reason if it ends in an error or is removed. */
export function untilRunning(deps: Deps, name: string, signal: AbortSignal): Promise<void> {
  return waitFor(deps, name, signal, ({ status, status_context: why }) => {
    if (status === 'error') throw conflict(`${name} did not start: ${why}`)
    if (status === 'stopped') throw conflict(`${name} is stopped; restart it first`)
    if (status === 'removed') throw conflict(`${name} was removed while it was starting`)
    return status === 'running'
  })
}

const GONE_MS = 60_000

/** Resolves when the workload is completely removed. */
export async function untilGone(deps: Deps, name: string): Promise<void> {
  if (!deps.workloads.book.find(name)) return
  await waitFor(deps, name, AbortSignal.timeout(GONE_MS), ({ status }) => status === 'removed')
}

async function waitFor(
  { events, workloads, shutdown }: Deps,
  name: string,
  signal: AbortSignal,
  isDone: (event: Pick<WorkloadEvent, 'status' | 'status_context'>) => boolean,
): Promise<void> {
  const limit = AbortSignal.any([signal, shutdown])
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const look = (event: Pick<WorkloadEvent, 'status' | 'status_context'>) => {
    try {
      if (isDone(event)) resolve()
    } catch (error) {
      reject(error)
    }
  }
  const giveUp = () => reject(unavailable(`the wait for ${name} was cancelled`, limit.reason))
  const stop = events.subscribe((event) => {
    if (event.workload === name) look(event)
  })
  limit.addEventListener('abort', giveUp, { once: true })
  try {
    if (limit.aborted) giveUp()
    if (workloads.book.find(name)) {
      const { status, context } = workloads.book.status(name)
      look({ status, status_context: workloads.masker.mask(context) })
    }
    await promise
  } finally {
    stop()
    limit.removeEventListener('abort', giveUp)
  }
}
