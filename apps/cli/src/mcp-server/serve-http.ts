import type { Socket } from 'node:net'
import { type McpServer, createMcpHandler } from '@modelcontextprotocol/server'
import { checkRequest } from '@toolhaven/core/guard/check-request'
import { Hono } from 'hono'
import { type Listening, listenOnTcp } from '../daemon/listen.ts'

export interface ServeHttpOptions {
  host: string
  port: number
  allowPeer: (socket: Socket) => boolean
  makeServer: () => McpServer
}

/** Serves streamable HTTP at /mcp. Refuses web pages and other users of the machine, like every port of Toolhaven. */
export async function serveHttp({ host, port, allowPeer, makeServer }: ServeHttpOptions): Promise<Listening> {
  const handler = createMcpHandler(makeServer)
  const app = new Hono()
  app.use(async ({ req: { raw } }, next) => refusalOf(raw) ?? next())
  app.all('/mcp', ({ req: { raw } }) => handler.fetch(raw))
  app.notFound((context) => context.text('there is nothing here; MCP clients connect to /mcp\n', 404))
  const listening = await listenOnTcp(app, host, port, allowPeer)
  const close = async () => {
    await handler.close()
    await listening.close()
  }
  return { addresses: listening.addresses, close }
}

function refusalOf({ method, url, headers }: Request): Response | undefined {
  const verdict = checkRequest(
    {
      method,
      host: headers.get('host') ?? new URL(url).host,
      origin: headers.get('origin') ?? undefined,
      secFetchSite: headers.get('sec-fetch-site') ?? undefined,
      contentType: headers.get('content-type') ?? undefined,
      hasBody: Number(headers.get('content-length') ?? 0) > 0 || headers.has('transfer-encoding'),
    },
    { allowedHosts: [] },
  )
  if (verdict.ok) return undefined
  return new Response(`${verdict.message}\n`, {
    status: verdict.status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  })
}
