import { afterEach, expect, it, vi } from 'vitest'
import { startGateway, type TestGateway } from './support/gateway.ts'
import { postModern } from './support/modern-post.ts'
import { callsOf, connectScriptedAuto, question } from './support/scripted-auto.ts'
import { connectScripted } from './support/scripted-server.ts'

afterEach(() => void vi.useRealTimers())

const ONE = { needsOwn: true, own: { maxSessions: 1, idleMs: 600_000 } }

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

function post({ origin }: TestGateway, message: object, headers: object = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    signal: signal ?? null,
  })
}

async function initialize(test: TestGateway) {
  const capabilities = { sampling: {} }
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'c', version: '1' } }
  const response = await post(test, { method: 'initialize', params })
  const text = await response.text()
  return { text, headers: { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' } }
}

const HOLD = { id: 2, method: 'tools/call', params: { name: 'hold', arguments: {} } }

it('a client that vanished while its call is not answered makes room for another', async () => {
  await using test = await startGateway()
  await test.open()
  const { servers } = await connectScriptedAuto(test, ONE)
  const { headers } = await initialize(test)
  const gone = new AbortController()
  const held = post(test, HOLD, headers, gone.signal).catch(() => undefined)
  await expect.poll(() => servers.flatMap(callsOf)).toHaveLength(1)
  // Its client waits: nobody else gets the process.
  expect((await initialize(test)).text).toContain('all 1 are taken')
  gone.abort()
  await held
  await expect.poll(async () => (await initialize(test)).text).toContain('serverInfo')
})

it('a client that vanished while its call is not answered is forgotten in time', async () => {
  await using test = await startGateway({ limits: { idleMs: 3_000, keepAliveMs: 20 } })
  await test.open()
  const { heard } = await connectScripted(test, ({ method }) => (method === 'tools/list' ? { result: {} } : undefined))
  const { headers } = await initialize(test)
  const gone = new AbortController()
  const held = post(test, HOLD, headers, gone.signal).catch(() => undefined)
  const methods = () => heard.map(({ method }) => method)
  await expect.poll(methods).toContain('tools/call')
  expect(methods()).not.toContain('notifications/cancelled')
  gone.abort()
  await held
  await expect.poll(methods).toContain('notifications/cancelled')
})

it('a question that is not answered for a minute makes room for the call of another, and its call ends', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await using test = await startGateway()
  await test.open()
  const { servers } = await connectScriptedAuto(test, ONE)
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { sampling: {} } }
  const call = async (params: { [key: string]: unknown }) =>
    (await postModern(test, 'tools/call', params, { meta })).json()
  const parked = call({ name: 'hold', arguments: {} })
  await expect.poll(() => servers.flatMap(callsOf)).toHaveLength(1)
  servers.find((server) => callsOf(server).length > 0)?.say(question('q', 'who?'))
  const { requestState } = (await parked).result
  expect(requestState).toBeDefined()
  let isAnswered = false
  const other = call({ name: 'end', arguments: {} }).finally(() => {
    isAnswered = true
  })
  // The first one may come back in a moment, and has its turn.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(isAnswered).toBe(false)
  vi.setSystemTime(Date.now() + 61_000)
  expect(await other).toMatchObject({ result: { content: [] } })
  const back = await call({ name: 'hold', arguments: {}, requestState, inputResponses: {} })
  expect(back).toMatchObject({ error: { message: expect.stringContaining('another client needed the server') } })
})
