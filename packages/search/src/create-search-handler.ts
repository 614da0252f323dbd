import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { createAnswers } from './answer.ts'
import type { SearchRecord } from './record.ts'
import { readSearchRequests, type SearchRequest } from './search-request.ts'

export interface SearchSource {
  records: readonly SearchRecord[]
  indexName: string
  appId: string
  /** A search-only key, which is public because the pages contain it. */
  apiKey: string
}

/** No search from our pages is larger. */
const MAX_BYTES = 64 * 1024
const PATH = /\/1\/indexes\/(?:\*|%2A)\/queries$/i

/**
 * Answers `POST …/1/indexes/*\/queries` from records in memory, the way a hosted search does: a JSON body sent as
 * text/plain, id and key in the query string or in headers. Errors are answered as JSON with message and status.
 */
export function createSearchHandler(source: SearchSource): (request: Request) => Promise<Response> {
  const answer = createAnswers(source.records)
  return async (request) => {
    const url = new URL(request.url)
    if (!PATH.test(url.pathname)) return failure(404, 'Not found: search is POST /1/indexes/*/queries')
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: PREFLIGHT })
    if (request.method !== 'POST') return failure(405, 'Method not allowed: use POST', { allow: 'POST, OPTIONS' })
    if (!isAllowed(request, url, source)) return failure(403, 'Invalid Application-ID or API key')
    const text = await readText(request)
    if (text === undefined) return failure(413, `The request is too large: at most ${MAX_BYTES} bytes are read`)
    const requests = parseRequests(text)
    if (typeof requests === 'string') return failure(400, requests)
    const unknown = requests.find(({ indexName }) => indexName !== source.indexName)
    if (unknown !== undefined) return failure(404, `Index ${unknown.indexName} does not exist`)
    return json(200, { results: requests.map(answer) })
  }
}

function isAllowed(request: Request, url: URL, { appId, apiKey }: SearchSource): boolean {
  const read = (name: string) => url.searchParams.get(name) ?? request.headers.get(name) ?? ''
  return isSame(read('x-algolia-application-id'), appId) && isSame(read('x-algolia-api-key'), apiKey)
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** The body as text, or undefined when it is too large; it is not read further than that. */
async function readText(request: Request): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BYTES) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** The requests in a body, or one sentence about what is wrong with it. */
function parseRequests(text: string): SearchRequest[] | string {
  try {
    return readSearchRequests(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) return 'The request is not valid JSON'
    if (!(error instanceof z.ZodError)) throw error
    const issue = error.issues[0]
    const where = issue?.path.join('.') ?? ''
    return where === ''
      ? `Invalid request: ${issue?.message ?? ''}`
      : `Invalid value for ${where}: ${issue?.message ?? ''}`
  }
}

const failure = (status: number, message: string, headers: Record<string, string> = {}) =>
  json(status, { message, status }, headers)

/** Pages on other hosts may search here: the answers are public, and no cookie is read. */
const CORS = { 'access-control-allow-origin': '*' }
const PREFLIGHT = {
  ...CORS,
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers': 'content-type, x-algolia-api-key, x-algolia-application-id',
  'access-control-max-age': '86400',
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json; charset=UTF-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...CORS,
      ...headers,
    },
  })
}
