import type { IncomingMessage, ServerResponse } from 'node:http'
import { Encodings } from './encodings.ts'
import { findFile } from './page-files.ts'
import { PageViews } from './page-views.ts'
import { readBody } from './read-body.ts'
import type { SiteFile } from './site-files.ts'

/** Answers one request. `search` is the embedded search; without it the site has none of its own. */
export interface SiteParts {
  files: ReadonlyMap<string, SiteFile>
  headers: Record<string, string>
  search?: (request: Request) => Promise<Response>
  /** See Encodings. */
  quality?: number | undefined
}

const MAX_SEARCH_BYTES = 65_536
const MAX_VIEW_BYTES = 2048

export function createRequestHandler(parts: SiteParts) {
  const { files } = parts
  const encodings = new Encodings(parts.quality)
  const views = new PageViews((page) => files.has(`${page === '/' ? '' : page}/index.html`))

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    for (const [name, value] of Object.entries(parts.headers)) response.setHeader(name, value)
    const url = URL.parse(request.url ?? '/', 'http://site')
    const address = url === null ? undefined : decoded(url.pathname)
    if (url === null || address === undefined) return answer(response, 400, 'The address is not valid.\n')
    if (address === '/insights/view' && request.method === 'POST') return countView(request, response, views)
    if (address === '/insights/views') return json(response, views)
    if (address.startsWith('/1/indexes/')) return search(parts, request, response, url)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD')
      return answer(response, 405, 'Only GET and HEAD are answered here.\n')
    }
    const found = findFile(files, address)
    if (found.kind === 'moved') {
      response.setHeader('Location', `${encodeURI(sameOrigin(found.to))}${url.search}`)
      return answer(response, 301, '')
    }
    if (found.kind === 'file') return send(request, response, 200, found.file, encodings)
    const notFound = files.get('/404.html')
    if (notFound === undefined) return answer(response, 404, 'There is no such page.\n')
    return send(request, response, 404, notFound, encodings)
  }
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  file: SiteFile,
  encodings: Encodings,
): Promise<void> {
  response.setHeader('Content-Type', file.type)
  response.setHeader('Cache-Control', file.immutable ? 'public, max-age=31536000, immutable' : 'public, no-cache')
  response.setHeader('ETag', file.etag)
  if (file.compressible) response.setHeader('Vary', 'Accept-Encoding')
  if (status === 200 && isKnown(request.headers['if-none-match'], file.etag)) {
    response.writeHead(304).end()
    return
  }
  const { body, encoding } = await encodings.encode(file, header(request, 'accept-encoding'))
  if (encoding !== undefined) response.setHeader('Content-Encoding', encoding)
  response.setHeader('Content-Length', body.length)
  response.writeHead(status).end(request.method === 'HEAD' ? undefined : body)
}

async function search(parts: SiteParts, request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
  if (parts.search === undefined) return answer(response, 404, 'This site was built without the embedded search.\n')
  const body = request.method === 'POST' ? await readBody(request, MAX_SEARCH_BYTES) : ''
  if (body === undefined) {
    response.setHeader('Connection', 'close')
    return answer(response, 413, 'The query is too long.\n')
  }
  const came = await parts.search(
    new Request(url, {
      method: request.method ?? 'GET',
      headers: { 'content-type': header(request, 'content-type') ?? 'text/plain' },
      ...(request.method === 'POST' ? { body } : {}),
    }),
  )
  for (const [name, value] of came.headers) response.setHeader(name, value)
  response.setHeader('Cache-Control', 'no-store')
  response.writeHead(came.status).end(Buffer.from(await came.arrayBuffer()))
}

async function countView(request: IncomingMessage, response: ServerResponse, views: PageViews): Promise<void> {
  views.count((await readBody(request, MAX_VIEW_BYTES)) ?? '')
  response.writeHead(204).end()
}

function json(response: ServerResponse, value: unknown): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.setHeader('Cache-Control', 'no-store')
  response.writeHead(200).end(`${JSON.stringify(value)}\n`)
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.setHeader('Content-Type', 'text/plain; charset=utf-8')
  response.setHeader('Content-Length', Buffer.byteLength(text))
  response.writeHead(status).end(text)
}

function decoded(pathname: string): string | undefined {
  try {
    const address = decodeURIComponent(pathname)
    return address.includes('\0') ? undefined : address
  } catch {
    return undefined // A stray percent sign: the request is at fault.
  }
}

/** Two slashes at the start would send the reader to another host. */
function sameOrigin(address: string): string {
  return `/${address.replace(/^[/\\]+/, '')}`
}

function isKnown(condition: string | undefined, etag: string): boolean {
  return condition?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) ?? false
}

function header(request: IncomingMessage, name: 'accept-encoding' | 'content-type'): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(',') : value
}
