import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

type Json = { [key: string]: unknown }

/** An HTTP server in the test's own process. */
export interface CountingServer extends AsyncDisposable {
  url: string
  transport: 'streamable-http' | 'sse'
  sessionCount: () => number
}

const NOISE_EVERY_MS = 1000
const NOISE = 'n'.repeat(1000)
const LARGE = 'x'.repeat(2_000_000)
const SLOW_MS = 300

/** Sessions stay until they are deleted: a server that forgets them would hide a gateway that does not end them. */
export function startStreamableServer(): Promise<CountingServer> {
  const sessions = new Set<string>()
  const streams = new Set<ServerResponse>()
  const handle: RequestListener = async (request, response) => {
    const id = String(request.headers['mcp-session-id'] ?? '')
    if (id !== '' && !sessions.has(id)) return response.writeHead(404).end()
    if (request.method === 'DELETE') {
      sessions.delete(id)
      return response.writeHead(204).end()
    }
    if (request.method === 'GET') return openStream(streams, response)
    const message: Json = JSON.parse(await text(request))
    if (message['method'] === 'server/discover') return response.writeHead(400).end()
    const answer = await answerTo(message)
    if (answer === undefined) return response.writeHead(202).end()
    const named = message['method'] === 'initialize' ? { 'mcp-session-id': randomUUID() } : {}
    for (const name of Object.values(named)) sessions.add(name)
    return response.writeHead(200, { 'content-type': 'application/json', ...named }).end(JSON.stringify(answer))
  }
  return serve('streamable-http', '/mcp', handle, streams, () => sessions.size)
}

/** A session is a stream. */
export function startSseServer(): Promise<CountingServer> {
  const streams = new Map<string, ServerResponse>()
  const handle: RequestListener = async (request, response) => {
    if (request.method === 'GET') {
      const id = randomUUID()
      streams.set(id, response)
      response.once('close', () => streams.delete(id))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return void response.write(`event: endpoint\ndata: /messages?id=${id}\n\n`)
    }
    const stream = streams.get(idIn(request))
    if (stream === undefined) return void response.writeHead(404).end()
    const message: Json = JSON.parse(await text(request))
    response.writeHead(202).end()
    const answer = await answerTo(message)
    if (answer !== undefined) send(stream, answer)
  }
  return serve('sse', '/sse', handle, { values: () => streams.values() }, () => streams.size)
}

const idIn = ({ url = '' }: IncomingMessage) => new URL(url, 'http://server').searchParams.get('id') ?? ''

function openStream(streams: Set<ServerResponse>, response: ServerResponse): void {
  streams.add(response)
  response.once('close', () => streams.delete(response))
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
}

const send = (stream: ServerResponse, message: Json) => void stream.write(`data: ${JSON.stringify(message)}\n\n`)

async function serve(
  transport: CountingServer['transport'],
  path: string,
  handle: RequestListener,
  streams: { values: () => Iterable<ServerResponse> },
  sessionCount: () => number,
): Promise<CountingServer> {
  const server = createServer(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  const noise = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: NOISE } }
  const timer = setInterval(() => {
    for (const stream of streams.values()) send(stream, noise)
  }, NOISE_EVERY_MS)
  return {
    ...{ url: `http://127.0.0.1:${address.port}${path}`, transport, sessionCount },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Undefined for what needs no answer. */
async function answerTo({ id, method, params }: Json): Promise<Json | undefined> {
  if (id === undefined || method === undefined) return undefined
  const capabilities = { tools: {}, logging: {} }
  const welcome = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'counting', version: '1' } }
  if (method === 'initialize') return { jsonrpc: '2.0', id, result: welcome }
  if (method === 'server/discover') return { jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } }
  if (method === 'tools/list') return { jsonrpc: '2.0', id, result: { tools: TOOLS } }
  if (method !== 'tools/call') return { jsonrpc: '2.0', id, result: {} }
  const name = typeof params === 'object' && params !== null && 'name' in params ? params.name : undefined
  if (name === 'sleep') await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
  const content = [{ type: 'text', text: name === 'blob' ? LARGE : 'done' }]
  return { jsonrpc: '2.0', id, result: { content } }
}

const TOOLS = ['echo', 'sleep', 'blob'].map((name) => ({ name, inputSchema: { type: 'object' } }))
