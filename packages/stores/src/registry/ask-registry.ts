import { describeError, invalid } from '@toolhaven/core/errors'
import type { GuardedFetch } from '../net/guarded-fetch.ts'
import { collectServers } from './collect-servers.ts'
import { type FetchedText, fetchText } from './fetch-text.ts'
import type { RegistryCopy } from './last-good-copies.ts'
import { parseRegistryText } from './parse-registry.ts'
import { isServerList, isServerListUrl, type ListRequest, readServerList, serverListUrl } from './server-list.ts'

interface RegistryRequest {
  fetch: GuardedFetch
  url: string
  now: number
}

/**
 * Reads a registry file or an MCP registry from a URL and finds out which of the two it is. A file is at the URL itself, so a
 * URL without a file is tried as the base of an MCP registry.
 */
export async function askRegistry(
  { fetch, url, now }: RegistryRequest,
  before: RegistryCopy | undefined,
): Promise<RegistryCopy> {
  const origin = `the registry at ${URL.parse(url)?.host ?? 'this address'}`
  const list = serverListUrl(url)
  const nothing = `${list.pathname} is not the server list of an MCP registry`
  if (isServerListUrl(url)) {
    const copy = await listCopy({ fetch, list, origin }, now)
    if (copy) return copy
    throw invalid(`${origin} could not be read: ${nothing}`)
  }
  const fetched = await fetchText(fetch, url, { origin, headers: newsHeaders(before) })
  if (fetched.response.status === 304 && before !== undefined) return before
  const document = looseJson(fetched)
  // The URL may also be that of the list itself.
  const isList = isServerList(document)
  if (!isList && isFile(document, url)) return fileCopy(fetched, origin)
  const copy = await listCopy({ fetch, list: isList ? new URL(url) : list, origin }, now)
  if (copy) return copy
  try {
    return fileCopy(fetched, origin)
  } catch (error) {
    throw invalid(`${describeError(error)}; and ${nothing}`, error)
  }
}

function newsHeaders({ etag, lastModified }: Partial<RegistryCopy> = {}): Headers {
  const headers = new Headers({ accept: 'application/json' })
  if (etag !== undefined) headers.set('if-none-match', etag)
  if (lastModified !== undefined) headers.set('if-modified-since', lastModified)
  return headers
}

async function listCopy(request: ListRequest, now: number): Promise<RegistryCopy | undefined> {
  const servers = await readServerList(request)
  return servers && { document: await collectServers(servers, { list: request.list, now }), readAt: now }
}

/** Whether the text is meant to be a registry file, even if it has faults. */
function isFile(document: unknown, url: string): boolean {
  const { servers } = Object(document)
  return typeof servers === 'object' || URL.parse(url)?.pathname.endsWith('.json') === true
}

function fileCopy({ response, text }: FetchedText, origin: string): RegistryCopy {
  if (response.status !== 200) throw invalid(`${origin} could not be read: it answered with status ${response.status}`)
  return {
    document: parseRegistryText(text, origin),
    etag: response.headers.get('etag') ?? undefined,
    lastModified: response.headers.get('last-modified') ?? undefined,
  }
}

/** Parses only to find out what the text is meant to be. */
function looseJson({ response, text }: FetchedText): unknown {
  try {
    return response.status === 200 ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}
