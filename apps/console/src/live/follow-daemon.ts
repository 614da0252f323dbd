import type { QueryClient } from '@tanstack/react-query'
import { Backoff } from '@toolhaven/contract/backoff'
import { api, messageOf } from '../api.ts'
import { pageSession } from '../session/page-session.ts'
import { applyEvents, refetchEverything } from './apply-event.ts'
import { type Connection, connectionQuery } from './connection.ts'
import { readEvents, type ServerSentEvent } from './read-events.ts'

const PAUSES = { firstMs: 500, longestMs: 5_000 }
/** The daemon writes a heartbeat every 15 s. */
const SILENCE_MS = 40_000

/** Keeps the cache as the daemon says it is, until the signal ends it. After a gap everything that is shown is fetched again. */
export async function followDaemon(cache: QueryClient, signal: AbortSignal): Promise<void> {
  const backoff = new Backoff(PAUSES)
  while (!signal.aborted) {
    const reason = await followOnce(cache, signal, () => backoff.reset())
    if (signal.aborted) return
    const before = cache.getQueryData(connectionQuery.queryKey)
    const since = before?.state === 'away' ? before.since : Date.now()
    report(cache, { state: 'away', since, reason })
    await waitFor(backoff.next(), signal)
  }
}

/** Why the stream ended. */
async function followOnce(cache: QueryClient, signal: AbortSignal, onEvent: () => void): Promise<string> {
  const silence = new AbortController()
  const stop = AbortSignal.any([signal, silence.signal])
  let watch: ReturnType<typeof setTimeout> | undefined
  const heard = () => {
    clearTimeout(watch)
    watch = setTimeout(() => silence.abort(new Error('the connection went silent')), SILENCE_MS)
  }
  try {
    heard()
    const access = await pageSession.check(stop)
    if (access.state === 'locked') {
      report(cache, access)
      // The page begins again with a login.
      return await forever(signal)
    }
    const response = await api.open('streamEvents', {}, stop)
    report(cache, { state: 'live' })
    refetchEverything(cache)
    const apply = batched((events) => applyEvents(cache, events))
    for await (const event of readEvents(response)) {
      heard()
      // An answer alone is not proof: a stream that breaks at its start would be asked for without a pause.
      onEvent()
      if (event.data !== '') apply(event)
    }
    return 'it ended the connection'
  } catch (error) {
    return messageOf(error)
  } finally {
    clearTimeout(watch)
  }
}

/** Until the page goes. */
function forever(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
}

/** Many events in a moment are one change on the screen. */
function batched(apply: (events: readonly ServerSentEvent[]) => void): (event: ServerSentEvent) => void {
  let waiting: ServerSentEvent[] = []
  return (event) => {
    waiting.push(event)
    if (waiting.length > 1) return
    setTimeout(() => {
      const events = waiting
      waiting = []
      apply(events)
    }, 30)
  }
}

function report(cache: QueryClient, connection: Connection): void {
  cache.setQueryData(connectionQuery.queryKey, connection)
}

/** Also ends when the machine wakes up or the network returns, because waiting longer makes no sense then. */
function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      removeEventListener('online', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    addEventListener('online', done)
    signal.addEventListener('abort', done, { once: true })
  })
}
