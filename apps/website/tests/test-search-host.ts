import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Seen {
  method: string
  url: URL
  type: string | undefined
  body: string
}

export interface SearchHost {
  port: number
  seen: Seen[]
  /** What the next requests get; changed by tests as they go. */
  answer: (response: ServerResponse, seen: Seen) => void
  [Symbol.asyncDispose](): Promise<void>
}

/** A search host on loopback that notes what it is asked and answers as a test says. */
export async function startSearchHost(answer: SearchHost['answer'] = found([])): Promise<SearchHost> {
  const host: SearchHost = { port: 0, seen: [], answer, [Symbol.asyncDispose]: close }
  const server = createServer((request, response) => void respond(host, request, response))
  async function close() {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  host.port = typeof address === 'object' && address !== null ? address.port : 0
  return host
}

async function respond(host: SearchHost, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const seen = {
    method: request.method ?? '',
    url: new URL(request.url ?? '/', 'http://host'),
    type: request.headers['content-type'],
    body: await text(request),
  }
  response.setHeader('access-control-allow-origin', '*')
  host.seen.push(seen)
  host.answer(response, seen)
}

export interface FakeHit {
  objectID: string
  url: string
  type: string
  content: string | null
  hierarchy: Record<string, string | null>
  [extra: string]: unknown
}

/** Hits named "Title 1", "Title 2", … spread over sections in turn. */
export function fakeHits(count: number, sections: readonly string[] = ['Guides']): FakeHit[] {
  return Array.from({ length: count }, (_, at) => ({
    objectID: `hit-${at + 1}`,
    url: `/first#part-${at + 1}`,
    type: 'lvl1',
    content: null,
    hierarchy: { lvl0: sections[at % sections.length] ?? '', lvl1: `Title ${at + 1}` },
    _highlightResult: { hierarchy: { lvl1: { value: `<mark>Title</mark> ${at + 1}`, matchLevel: 'full' } } },
    _snippetResult: { hierarchy: { lvl1: { value: `<mark>Title</mark> ${at + 1}`, matchLevel: 'full' } } },
  }))
}

/** Answers every search with these hits. */
export function found(hits: readonly FakeHit[], more: object = {}): SearchHost['answer'] {
  return (response) => json(response, 200, { results: [{ hits, nbHits: hits.length, queryID: 'query-1', ...more }] })
}

export const failing =
  (status: number, message = 'no'): SearchHost['answer'] =>
  (response) =>
    json(response, status, { message, status })

/** Takes the request and says nothing. */
export const silent: SearchHost['answer'] = () => undefined

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
