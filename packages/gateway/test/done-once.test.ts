import { json } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { NAME, never, startGateway, type TestGateway } from './support/gateway.ts'
import { serveHttp } from './support/http-server.ts'
import { postModern } from './support/modern-post.ts'
import { openSession } from './support/raw-server.ts'
import { DISCOVERED } from './support/scripted-server.ts'
import { startSessionServer } from './support/session-server.ts'

const message = z.looseObject({ id: z.unknown().optional(), method: z.string().optional() })
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const GREETING = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }

/** A server that carries out each call and closes the connection instead of answering. */
async function connectPaying(test: TestGateway, era: 'legacy' | 'modern') {
  const seen = { paid: 0, connections: new Set<unknown>() }
  const origin = await serveHttp(test, async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end()
    const { id, method } = message.parse(await json(request))
    seen.connections.add(request.socket)
    const answer = (body: object) => {
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' })
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }))
    }
    if (method === 'server/discover') return era === 'modern' ? answer(DISCOVERED) : response.writeHead(400).end()
    if (method === 'initialize') return answer({ result: GREETING })
    if (method === 'tools/list')
      return answer({ result: { tools: [{ name: 'pay', inputSchema: { type: 'object' } }] } })
    if (method !== 'tools/call') return response.writeHead(202).end()
    seen.paid++
    return request.socket.destroy()
  })
  const url = `${origin}/mcp`
  await test.gateway.connect(NAME, { kind: 'http', transport: 'streamable-http', url, processId: 'p' }, never)
  return seen
}

async function post(test: TestGateway, body: object, session = ''): Promise<Response> {
  const headers = { ...HEADERS, ...(session !== '' && { 'mcp-session-id': session }) }
  return fetch(`${test.origin}/mcp`, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...body }) })
}

it('a call whose connection is closed is carried out once, and its client learns that it may have been', async () => {
  await using test = await startGateway()
  await test.open({ transport: 'streamable-http' })
  const seen = await connectPaying(test, 'legacy')
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  const opened = await post(test, { id: 1, method: 'initialize', params })
  const session = opened.headers.get('mcp-session-id') ?? ''
  await opened.text()
  await (await post(test, { id: 2, method: 'tools/list' }, session)).text()
  const known = seen.connections.size
  const answer = await (await post(test, { id: 3, method: 'tools/call', params: { name: 'pay' } }, session)).text()
  expect(answer).toContain('may have carried out the call')
  expect(seen.paid).toBe(1)
  // The connection had been used before: a server may close such a connection at any moment.
  expect(seen.connections.size).toBe(known)
})

it('so is one of a client without a session', async () => {
  await using test = await startGateway()
  await test.open({ transport: 'streamable-http' })
  const seen = await connectPaying(test, 'modern')
  await (await postModern(test, 'tools/list')).text()
  const { error } = z
    .looseObject({ error: z.looseObject({ message: z.string() }) })
    .parse(await (await postModern(test, 'tools/call', { name: 'pay' })).json())
  expect(error.message).toBeTruthy()
  expect(seen.paid).toBe(1)
})

describe('a call that is answered with a status', () => {
  async function start(test: TestGateway, refuse: (paid: number) => number | undefined) {
    await test.open({ transport: 'streamable-http' })
    const state = { paid: 0 }
    const server = await startSessionServer(test, () => ({ result: { content: [] } }), {
      refuse: ({ method }) => (method === 'tools/call' ? refuse(++state.paid) : undefined),
    })
    await server.connect()
    const session = await openSession(test)
    const pay = async (id = 1) => {
      const body = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'pay' } }
      return (await session(JSON.stringify(body))).text()
    }
    return { server, state, pay }
  }

  it('404 from a server that knows the session is not repeated', async () => {
    await using test = await startGateway()
    const { state, pay } = await start(test, () => 404)
    expect(await pay()).toContain('the server answered with status 404')
    expect(state.paid).toBe(1)
  })

  it('404 from a server that forgot the session is carried out in another', async () => {
    await using test = await startGateway()
    const { server, state, pay } = await start(test, () => undefined)
    server.sessions.clear()
    expect(await pay()).toContain('"result"')
    expect(state.paid).toBe(1)
  })

  it('404 for several calls at once from a server that forgot the session is carried out for each', async () => {
    await using test = await startGateway()
    const { server, state, pay } = await start(test, () => undefined)
    server.sessions.clear()
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((id) => pay(id)))
    for (const answer of answers) expect(answer).toContain('"result"')
    expect(state.paid).toBe(6)
  })

  it.each([408, 500, 503])('%i is not repeated, and its client learns of it', async (status) => {
    await using test = await startGateway()
    const { state, pay } = await start(test, () => status)
    const answer = await pay()
    expect(answer).toContain(`the server answered with status ${status}. It may have carried out the call`)
    expect(answer).not.toContain('reached')
    expect(state.paid).toBe(1)
  })
})
