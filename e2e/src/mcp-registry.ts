import { once } from 'node:events'
import { createServer } from 'node:http'

export interface McpRegistry extends AsyncDisposable {
  /** Its base address. */
  url: string
  /** Its current answers: a page for each list. */
  pages: unknown[][]
  /** Paths that were requested so far, oldest first. */
  asked: string[]
}

/** A registry with the API of the official one: a list in pages, and a page for people at its root. */
export async function openMcpRegistry(pages: unknown[][]): Promise<McpRegistry> {
  const asked: string[] = []
  const registry = { pages }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://registry.example')
    asked.push(`${url.pathname}${url.search}`)
    if (url.pathname === '/') return void response.end('<!doctype html><title>Servers</title>')
    if (url.pathname !== '/v0.1/servers') return void response.writeHead(404).end('{"title":"Not Found"}')
    const at = Number(/^after-(\d+)$/.exec(url.searchParams.get('cursor') ?? 'after-0')?.[1] ?? NaN)
    const servers = registry.pages[at]
    if (!servers) return void response.writeHead(400).end('{"title":"no such cursor"}')
    const nextCursor = at + 1 < registry.pages.length ? { nextCursor: `after-${at + 1}` } : {}
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ servers, metadata: { ...nextCursor, count: servers.length } }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return Object.assign(registry, {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  })
}

/** A server's version as the registry lists it: what its publisher wrote, and what the registry says about it. */
export function listedServer(server: object, official: object = {}): object {
  const said = {
    status: 'active',
    publishedAt: '2026-10-01T08:00:00Z',
    updatedAt: '2026-10-01T08:00:00Z',
    isLatest: true,
  }
  const schema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'
  return {
    server: { $schema: schema, version: '1.0.0', ...server },
    _meta: { 'io.modelcontextprotocol.registry/official': { ...said, ...official } },
  }
}
