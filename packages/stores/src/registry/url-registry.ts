import { describeError } from '@toolhaven/core/errors'
import type { Clock } from '@toolhaven/core/ports/clock'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { RegistryContent, RegistryLocation } from '@toolhaven/core/ports/registry-source'
import type { GuardedFetch } from '../net/guarded-fetch.ts'
import { askRegistry } from './ask-registry.ts'
import { type LastGoodCopies, locationKey, type RegistryCopy } from './last-good-copies.ts'

type UrlLocation = Extract<RegistryLocation, { type: 'url' }>

export interface UrlRegistryOptions {
  copies: LastGoodCopies
  logger: Logger
  clock: Clock
  fetchFor(allowPrivate: boolean): GuardedFetch
}

export interface UrlRegistry {
  read(location: UrlLocation, signal: AbortSignal, options: { refresh?: boolean }): Promise<RegistryContent>
}

const FRESH_MS = 10 * 60_000
/** While a source is down, callers get the kept copy at once. The source is asked again after this time. */
const RETRY_MS = 30_000
/** Reading the list of an MCP registry can take hundreds of requests. */
const LIST_FRESH_MS = 60 * 60_000

type Known = { at: number; copy: RegistryCopy } | { at: number; error: unknown; copy: RegistryCopy }

/** Asks the server at most once per interval, with one request for all callers, and only for changes. */
export function createUrlRegistry(options: UrlRegistryOptions): UrlRegistry {
  const { copies, clock, logger } = options
  const known = new Map<string, Known>()
  const underway = new Map<string, Promise<RegistryContent>>()

  async function refresh(location: UrlLocation, key: string): Promise<RegistryContent> {
    const before = known.get(key)?.copy
    try {
      const copy = await ask(options, location, before)
      known.set(key, { at: clock.now(), copy })
      if (copy !== before) await copies.save(location, copy)
      return copy.document
    } catch (error) {
      // Without a kept copy there is nothing else to give, so the next caller asks again.
      if (before !== undefined) known.set(key, { at: clock.now(), error, copy: before })
      throw error
    }
  }

  /** The stored time tells the age of a copy from an earlier run of the daemon. */
  async function recall(location: UrlLocation, key: string): Promise<void> {
    if (known.has(key)) return
    const copy = await copies.load(location)
    if (copy && !known.has(key)) known.set(key, { at: copy.readAt ?? -Infinity, copy })
  }

  const refreshOnce = (location: UrlLocation, key: string) => {
    const running = underway.get(key) ?? refresh(location, key).finally(() => underway.delete(key))
    underway.set(key, running)
    return running
  }

  return {
    async read(location, signal, { refresh: isRefresh = false }) {
      const key = locationKey(location)
      await recall(location, key)
      const last = known.get(key)
      const age = last === undefined ? Infinity : clock.now() - last.at
      if (last?.copy.document.leftOut && !isRefresh) {
        // Callers do not wait for hundreds of requests. Later callers get the new list.
        if (age >= ('error' in last ? FRESH_MS : LIST_FRESH_MS))
          refreshOnce(location, key).catch((error: unknown) =>
            logger.warn('the registry cannot be read; using its last valid copy', { reason: describeError(error) }),
          )
        return last.copy.document
      }
      if (last !== undefined && !isRefresh && 'error' in last && age < RETRY_MS) throw last.error
      if (last !== undefined && !isRefresh && !('error' in last) && age < FRESH_MS) return last.copy.document
      return untilAborted(refreshOnce(location, key), signal)
    },
  }
}

async function ask(
  { fetchFor, logger, clock }: UrlRegistryOptions,
  location: UrlLocation,
  before: RegistryCopy | undefined,
): Promise<RegistryCopy> {
  const request = { fetch: fetchFor(location.allowPrivateIp), url: location.url, now: clock.now() }
  const copy = await askRegistry(request, before)
  const { last_updated: is } = copy.document
  const was = before?.document.last_updated ?? is
  if (Date.parse(is) < Date.parse(was)) logger.warn('the registry is older than the copy it replaces', { was, is })
  return copy
}

/** A caller's abort ends only that caller's wait. The others still want the response. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
    if (signal.aborted) abort()
  })
}
