import { invalid } from '@toolhaven/core/errors'
import * as z from 'zod'
import type { GuardedFetch } from '../net/guarded-fetch.ts'
import { type FetchedText, fetchText } from './fetch-text.ts'
import { readRegistryJson } from './parse-registry.ts'

/** Limits for a list. A longer list is refused, because a part of it would look like all of it. */
export interface ListLimits {
  pages: number
  servers: number
  /** Total size of all pages. */
  bytes: number
  timeMs: number
}

export const LIST_LIMITS: ListLimits = { pages: 1000, servers: 50_000, bytes: 64 * 1024 * 1024, timeMs: 300_000 }

/** The cursor must fit into a URL. */
const MAX_CURSOR = 4096

const listPage = z.object({
  servers: z.array(z.unknown()),
  metadata: z.object({ nextCursor: z.string().nullish() }).nullish(),
})

/** Whether the value is a page of a server list. In a registry file, `servers` is an object. */
export const isServerList = (document: unknown) => listPage.safeParse(document).success

/** The URL of an MCP registry's list. The given URL may be the registry's base, its API or the list itself. */
export function serverListUrl(address: string): URL {
  const url = new URL(address)
  const path = url.pathname.replace(/\/+$/, '')
  url.pathname = isListPath(path) ? path : `${path}${/\/v0(?:\.\d+)?$/.test(path) ? '' : '/v0.1'}/servers`
  for (const [name, value] of Object.entries({ limit: '100', version: 'latest' }))
    if (!url.searchParams.has(name)) url.searchParams.set(name, value)
  return url
}

const isListPath = (path: string) => /\/v0(?:\.\d+)?\/servers$/.test(path)

/** Whether a URL can only belong to an MCP registry. */
export function isServerListUrl(address: string): boolean {
  const path = URL.parse(address)?.pathname.replace(/\/+$/, '') ?? ''
  return isListPath(path) || /\/v0\.\d+$/.test(path)
}

export interface ListRequest {
  fetch: GuardedFetch
  list: URL
  /** Names the registry in messages. */
  origin: string
  limits?: ListLimits
}

/** Reads all pages of the registry's list. Undefined if the URL has no such list. */
export async function readServerList({ fetch, list, origin, limits = LIST_LIMITS }: ListRequest) {
  const refusal = (reason: string) => invalid(`${origin} could not be read: ${reason}`)
  const init = { origin, headers: { accept: 'application/json' }, signal: AbortSignal.timeout(limits.timeMs) }
  const servers: unknown[] = []
  const cursors = new Set<string>()
  let bytes = 0
  let cursor: string | undefined
  for (let pages = 1; pages <= limits.pages; pages += 1) {
    const fetched = await fetchText(fetch, pageUrl(list, cursor), init)
    const found = pageOf(fetched, origin)
    if (found === undefined && pages === 1 && isElsewhere(fetched)) return undefined
    if (found === undefined) throw refusal(`page ${pages} of ${list.pathname} ${whatItIs(fetched)}`)
    bytes += fetched.bytes
    if (bytes > limits.bytes) throw refusal(`its list is larger than ${limits.bytes} bytes`)
    servers.push(...found.servers)
    if (servers.length > limits.servers) throw refusal(`it lists more than ${limits.servers} servers`)
    cursor = found.metadata?.nextCursor ?? ''
    if (cursor === '') return servers
    if (cursor.length > MAX_CURSOR)
      throw refusal(`page ${pages} has a cursor of ${cursor.length} characters, which is too long`)
    if (cursors.has(cursor)) throw refusal(`its list has no end: page ${pages} leads back to an earlier one`)
    cursors.add(cursor)
  }
  throw refusal(`its list has more than ${limits.pages} pages`)
}

function pageUrl(list: URL, cursor: string | undefined): URL {
  const url = new URL(list)
  if (cursor !== undefined) url.searchParams.set('cursor', cursor)
  return url
}

function pageOf({ response, text }: FetchedText, origin: string) {
  if (response.status !== 200 || !text.trimStart().startsWith('{')) return undefined
  return listPage.safeParse(readRegistryJson(text, origin)).data
}

/** Whether a response is what a URL without a list returns: nothing, a page for people, or the response of another API. */
function isElsewhere({ response: { status } }: FetchedText): boolean {
  return status === 200 || status === 404 || status === 405 || status === 410
}

const whatItIs = ({ response: { status } }: FetchedText) =>
  status === 200 ? 'is not a list of servers' : `answered with status ${status}`
