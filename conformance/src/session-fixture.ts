/** The fixture server of the revisions with sessions: `node session-fixture.ts --transport=stdio|sse|streamable-http [--keep-streams]`. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseArgs } from 'node:util'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { eventLog } from './event-log.ts'
import { serveLoopback } from './loopback-only.ts'
import { makeSessionServer as makeServer } from './session-server.ts'

const { values } = parseArgs({
  options: {
    transport: { type: 'string', default: 'stdio' },
    port: { type: 'string', default: '0' },
    'keep-streams': { type: 'boolean', default: false },
  },
})
const { transport, port } = values
const makeSessionServer = () => makeServer({ closesStreams: !values['keep-streams'] })

const streamable = new Map<string, StreamableHTTPServerTransport>()
// The older transport is what this revision's servers still have; being deprecated is the reason to test it.
// oxlint-disable-next-line typescript/no-deprecated
const sse = new Map<string, SSEServerTransport>()

if (transport === 'streamable-http') serveLoopback(Number(port), (request, response) => void answer(request, response))
else if (transport === 'sse') serveLoopback(Number(port), (request, response) => void answerSse(request, response))
else await makeSessionServer().connect(new StdioServerTransport())

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = request.headers['mcp-session-id']
  if (id === undefined) return (await openSession()).handleRequest(request, response)
  const session = streamable.get(String(id))
  if (session !== undefined) return session.handleRequest(request, response)
  const error = { code: -32_001, message: 'Session not found' }
  response.writeHead(404, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
}

async function openSession(): Promise<StreamableHTTPServerTransport> {
  const session = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    eventStore: eventLog(),
    retryInterval: 500,
    onsessioninitialized: (id) => void streamable.set(id, session),
    onsessionclosed: (id) => void streamable.delete(id),
  })
  await makeSessionServer().connect(session)
  return session
}

async function answerSse(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fixture')
  if (request.method === 'GET' && pathname === '/sse') {
    // oxlint-disable-next-line typescript/no-deprecated
    const session = new SSEServerTransport('/messages', response)
    sse.set(session.sessionId, session)
    response.once('close', () => sse.delete(session.sessionId))
    return makeSessionServer().connect(session)
  }
  const session = sse.get(searchParams.get('sessionId') ?? '')
  if (session === undefined) response.writeHead(404).end('Session not found')
  else await session.handlePostMessage(request, response)
}
