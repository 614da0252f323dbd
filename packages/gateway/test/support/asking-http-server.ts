import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { askingServer } from './asking-server.ts'
import { NAME, never, type TestGateway } from './gateway.ts'
import { serveHttp } from './http-server.ts'
import { usual } from './scripted-auto.ts'
import type { Script } from './scripted-server.ts'

type Json = { [key: string]: unknown }

/** What a client has at the server. */
interface HttpSession {
  script: Script
  /** The responses for calls that are not answered yet. */
  calls: Map<unknown, ServerResponse>
  /** For what belongs to no call. */
  stream: ServerResponse | undefined
}

/**
 * The same over HTTP: what belongs to a call comes on its stream. What the server asks about an answered call comes on
 * the stream of the session. Returns a function that restarts the server, which loses its sessions.
 */
export async function connectAskingHttp(test: TestGateway): Promise<() => Promise<void>> {
  const sessions = new Map<string, HttpSession>()
  const open = new Set<ServerResponse>()
  const origin = await serveHttp(test, async (request, response) => {
    open.add(response)
    response.once('close', () => open.delete(response))
    const id = String(request.headers['mcp-session-id'] ?? '')
    const session = sessions.get(id)
    if (request.method === 'DELETE') sessions.delete(id)
    if (id !== '' && session === undefined) response.writeHead(404).end()
    else if (request.method === 'GET' && session !== undefined) session.stream = startStream(response)
    else if (request.method === 'POST') await post(request, response, session)
    else response.writeHead(request.method === 'DELETE' ? 204 : 405).end()
  })
  const post = async (request: IncomingMessage, response: ServerResponse, known: HttpSession | undefined) => {
    const message: Json = JSON.parse(await text(request))
    const { id, method } = message
    if (method === 'server/discover') return response.writeHead(400).end()
    const name = randomUUID()
    const session = known ?? newSession()
    if (known === undefined) sessions.set(name, session)
    const isCall = method === 'tools/call'
    if (isCall) session.calls.set(id, startStream(response))
    const answer = session.script(message) ?? (method === undefined ? undefined : usual(message))
    if (isCall) return undefined
    if (answer === undefined || answer === 'exits') return response.writeHead(202).end()
    response.writeHead(200, {
      'content-type': 'application/json',
      ...(known === undefined && { 'mcp-session-id': name }),
    })
    return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  }
  const url = `${origin}/mcp`
  await test.gateway.connect(NAME, { kind: 'http', transport: 'streamable-http', url, processId: 'p' }, never)
  return async () => {
    sessions.clear()
    for (const response of open) response.destroy()
  }
}

function newSession(): HttpSession {
  const calls: HttpSession['calls'] = new Map()
  const say = (message: Json, call?: unknown) => {
    if (!('result' in message)) return send(calls.get(call) ?? session.stream, message)
    const stream = calls.get(message['id'])
    calls.delete(message['id'])
    send(stream, message)
    stream?.end()
  }
  const session: HttpSession = { script: askingServer({ heard: [], say, isEnded: false }), calls, stream: undefined }
  return session
}

function startStream(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  return response
}

function send(stream: ServerResponse | undefined, message: Json): void {
  if (stream?.destroyed === false) stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
}
