import type { RegistryDocument } from '@toolhaven/contract/registry-document'
import { describeError, invalid, isThvError } from '@toolhaven/core/errors'
import type { Clock } from '@toolhaven/core/ports/clock'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { RegistryLocation } from '@toolhaven/core/ports/registry-source'
import type { GuardedFetch } from '../net/guarded-fetch.ts'
import { type LastGoodCopies, locationKey, type RegistryCopy } from './last-good-copies.ts'
import { parseRegistryText } from './parse-registry.ts'

type UrlLocation = Extract<RegistryLocation, { type: 'url' }>

export interface UrlRegistryOptions {
  copies: LastGoodCopies
  logger: Logger
  clock: Clock
  fetchFor(allowPrivate: boolean): GuardedFetch
}

export interface UrlRegistry {
  read(location: UrlLocation, signal: AbortSignal, options: { refresh?: boolean }): Promise<RegistryDocument>
}

const FRESH_MS = 10 * 60_000
/** While a source is down its callers fall back to the kept copy at once; it is asked again after this time. */
const RETRY_MS = 30_000

type Known = { at: number; copy: RegistryCopy } | { at: number; error: unknown; copy: RegistryCopy }

/** Asks a server for the registry at most once in a while, once for all who want it, and only for what is new. */
export function createUrlRegistry(options: UrlRegistryOptions): UrlRegistry {
  const { copies, clock } = options
  const known = new Map<string, Known>()
  const underway = new Map<string, Promise<RegistryDocument>>()

  async function refresh(location: UrlLocation, key: string): Promise<RegistryDocument> {
    const before = known.get(key)?.copy ?? (await copies.load(location))
    try {
      const copy = await ask(options, location, before)
      known.set(key, { at: clock.now(), copy })
      if (copy !== before) await copies.save(location, copy)
      return copy.document
    } catch (error) {
      // Without a copy to fall back to there is nothing to hurry for: the next one asks again.
      if (before !== undefined) known.set(key, { at: clock.now(), error, copy: before })
      throw error
    }
  }

  return {
    async read(location, signal, { refresh: isRefresh = false }) {
      const key = locationKey(location)
      const last = known.get(key)
      const age = last === undefined ? Infinity : clock.now() - last.at
      if (last !== undefined && !isRefresh && 'error' in last && age < RETRY_MS) throw last.error
      if (last !== undefined && !isRefresh && !('error' in last) && age < FRESH_MS) return last.copy.document
      const running = underway.get(key) ?? refresh(location, key).finally(() => underway.delete(key))
      underway.set(key, running)
      return untilAborted(running, signal)
    },
  }
}

async function ask(
  { fetchFor, logger }: UrlRegistryOptions,
  location: UrlLocation,
  before: RegistryCopy | undefined,
): Promise<RegistryCopy> {
  const headers = new Headers({ accept: 'application/json' })
  if (before?.etag !== undefined) headers.set('if-none-match', before.etag)
  if (before?.lastModified !== undefined) headers.set('if-modified-since', before.lastModified)
  const origin = `the registry at ${URL.parse(location.url)?.host ?? 'this address'}`
  const { response, text } = await fetchText(fetchFor(location.allowPrivateIp), location.url, headers, origin)
  if (response.status === 304 && before !== undefined) return before
  if (response.status !== 200) throw invalid(`${origin} was not read: it answered with status ${response.status}`)
  const document = parseRegistryText(text, origin)
  if (before !== undefined && Date.parse(document.last_updated) < Date.parse(before.document.last_updated)) {
    logger.warn('the registry is older than the copy it replaces', {
      was: before.document.last_updated,
      is: document.last_updated,
    })
  }
  return {
    document,
    etag: response.headers.get('etag') ?? undefined,
    lastModified: response.headers.get('last-modified') ?? undefined,
  }
}

/** Not being reached is a fault of the location for whoever names it, so it is told like any other. */
async function fetchText(fetch: GuardedFetch, url: string, headers: Headers, origin: string) {
  try {
    const response = await fetch(url, { headers })
    const bytes = await response.arrayBuffer()
    return { response, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch (error) {
    const reason = isThvError(error)
      ? error.message
      : error instanceof TypeError
        ? 'it is not UTF-8 text'
        : describeError(error)
    throw invalid(`${origin} was not read: ${reason}`, error)
  }
}

/** One caller's abort ends its own waiting; the answer is still wanted by the others. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
    if (signal.aborted) abort()
  })
}
