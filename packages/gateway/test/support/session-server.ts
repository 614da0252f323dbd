import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { NAME, never, type TestGateway } from './gateway.ts'
import { serveHttp } from './http-server.ts'

type Json = { [key: string]: unknown }

/** A streamable HTTP server with sessions, seen from inside. */
export interface SessionServer {
  /** Its sessions, including the gateway's own. Emptied when it was restarted. */
  sessions: Set<string>
  /** Open streams for what belongs to no call. */
  streams: Set<ServerResponse>
  heard: Json[]
  /** The headers of each of these. */
  heads: IncomingHttpHeaders[]
  /** It no longer answers anything. */
  isHanging: boolean
  /** Connects it to this gateway (default: the one it was started with). */
  connect: (to?: TestGateway) => Promise<void>
}

interface Habits {
  /** Sends the head of a stream with its first event. */
  isLate?: boolean
  /** The status for a request to open a stream for what belongs to no call. 200: there is one. */
  streamStatus?: number
  /** Refuses DELETE, as the protocol allows. */
  keepsSessions?: boolean
  /** The status that refuses a message. */
  refuse?: (message: Json) => number | undefined | Promise<number | undefined>
}

/** `answer` returns a response without its id, and may take its time. */
export async function startSessionServer(
  test: TestGateway,
  answer: (message: Json) => Json | Promise<Json> = () => ({ result: {} }),
  { isLate = false, streamStatus = 200, keepsSessions = false, refuse }: Habits = {},
): Promise<SessionServer> {
  const sessions = new Set<string>()
  const streams = new Set<ServerResponse>()
  const heard: Json[] = []
  const heads: IncomingHttpHeaders[] = []
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } }
  const welcome = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'sessions', version: '1' } }
  const origin = await serveHttp(test, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (server.isHanging) return
    const id = String(request.headers['mcp-session-id'] ?? '')
    if (id !== '' && !sessions.has(id)) return response.writeHead(404).end()
    if (request.method === 'DELETE' && keepsSessions) return response.writeHead(405).end()
    if (request.method === 'DELETE') {
      sessions.delete(id)
      return response.writeHead(204).end()
    }
    if (request.method === 'GET') {
      if (streamStatus !== 200) return response.writeHead(streamStatus).end()
      streams.add(response)
      response.once('close', () => streams.delete(response))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return isLate ? undefined : response.flushHeaders()
    }
    const message: Json = JSON.parse(Buffer.concat(chunks).toString())
    heard.push(message)
    heads.push(request.headers)
    const refusal = await refuse?.(message)
    if (refusal !== undefined) return response.writeHead(refusal).end()
    if (message['method'] === 'server/discover') return response.writeHead(400).end()
    if (message['id'] === undefined || message['method'] === undefined) return response.writeHead(202).end()
    const isFirst = message['method'] === 'initialize'
    const answered = isFirst ? { ...(await answer(message)), result: welcome } : await answer(message)
    const named = isFirst ? { 'mcp-session-id': randomUUID() } : {}
    for (const name of Object.values(named)) sessions.add(name)
    response.writeHead(200, { 'content-type': 'application/json', ...named })
    return response.end(JSON.stringify({ jsonrpc: '2.0', id: message['id'], ...answered }))
  })
  const url = `${origin}/mcp`
  const server: SessionServer = {
    ...{ sessions, streams, heard, heads, isHanging: false },
    connect: async (to = test) => {
      await to.gateway.connect(NAME, { kind: 'http', transport: 'streamable-http', url, processId: 'p' }, never)
    },
  }
  return server
}
