import { invalid, isThvError, unavailable } from '@toolhaven/core/errors'
import { connectionFault } from '@toolhaven/core/net/not-reached'
import { type Dispatcher, fetch } from 'undici'
import { capBody } from './cap-body.ts'
import { createVettedDispatcher, type VettedDispatcherOptions } from './vetted-dispatcher.ts'
import { type GuardedInit, type GuardedRequest, nextRequest } from './follow-redirect.ts'
import { vetUrl } from './vet-url.ts'

export interface GuardedFetchOptions extends VettedDispatcherOptions {
  /** Limit for the decoded body; Infinity for an endless stream. */
  maxBytes: number
  /** Time from the first name look-up to the last byte; Infinity for an endless stream. */
  timeoutMs: number
}

/** Like the platform's fetch. Follows redirects unless `init.redirect` says otherwise, and checks each one. */
export type GuardedFetch = (url: string | URL, init?: GuardedInit) => Promise<Response>

const MAX_REDIRECTS = 5

/**
 * The one fetch for addresses that others choose (registry URLs, remote servers, identity providers).
 * Refusals are `invalid`, and a host that does not answer is `unavailable`. The caller's own abort is rethrown unchanged.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch & AsyncDisposable {
  const { allowPrivate, maxBytes, timeoutMs } = options
  const dispatcher = createVettedDispatcher(options)
  const guardedFetch = async (target: string | URL, init: GuardedInit = {}): Promise<Response> => {
    const signal = limitTime(timeoutMs, init.signal)
    let request: GuardedRequest = {
      url: vetUrl(String(target), allowPrivate),
      method: (init.method ?? 'GET').toUpperCase(),
      headers: new Headers(init.headers),
      body: init.body ?? null,
    }
    for (let redirects = 0; ; redirects += 1) {
      const answer = await send(dispatcher, request, signal)
      const next = init.redirect === 'manual' ? undefined : nextRequest(request, answer, allowPrivate)
      if (next === undefined) return capBody(answer, maxBytes, request.url)
      await answer.body?.cancel()
      if (init.redirect === 'error') throw invalid(`${request.url.host} redirects, which is not allowed here`)
      if (redirects === MAX_REDIRECTS) throw invalid(`${request.url.host} redirects more than ${MAX_REDIRECTS} times`)
      request = next
    }
  }
  return Object.assign(guardedFetch, { [Symbol.asyncDispose]: () => dispatcher.destroy() })
}

async function send(dispatcher: Dispatcher, request: GuardedRequest, signal: AbortSignal | null) {
  const { url, method, body } = request
  const headers = [...request.headers]
  try {
    return await fetch(url, { method, headers, body, signal, dispatcher, redirect: 'manual' })
  } catch (error) {
    if (signal?.aborted) throw reasonOf(signal, url)
    const cause = rootCause(error)
    if (isThvError(cause)) throw cause
    throw unavailable(`${url.host} could not be reached: ${connectionFault(cause)}`, error)
  }
}

/** Turns the time limit into an error. Any other abort comes from the caller. */
function reasonOf(signal: AbortSignal, url: URL): unknown {
  const reason: unknown = signal.reason
  const isTimeout = reason instanceof DOMException && reason.name === 'TimeoutError'
  return isTimeout ? unavailable(`${url.host} did not answer in time`, reason) : reason
}

function rootCause(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? rootCause(error.cause) : error
}

function limitTime(timeoutMs: number, signal: AbortSignal | null | undefined): AbortSignal | null {
  const limits: AbortSignal[] = []
  if (signal) limits.push(signal)
  if (Number.isFinite(timeoutMs)) limits.push(AbortSignal.timeout(timeoutMs))
  return limits.length === 0 ? null : AbortSignal.any(limits)
}
