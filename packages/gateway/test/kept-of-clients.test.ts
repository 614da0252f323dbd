import { expect, it } from 'vitest'
import { startGateway, type TestGateway } from './support/gateway.ts'
import { postModern } from './support/modern-post.ts'
import { connectServer, openSession } from './support/raw-server.ts'
import { openSse } from './support/sse-client.ts'

const INVALID = { code: -32_602, message: expect.stringContaining('over the limit') }
const TOO_LONG_URI = { code: -32_602, message: expect.stringContaining('8192 characters at most') }
const TOO_LONG = 'c'.repeat(64 * 1024)

async function start(): Promise<TestGateway> {
  const test = await startGateway()
  await test.open()
  await connectServer(test, (id) => JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } }))
  return test
}

const initialize = (name: string) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name, version: '1' } },
})

function post(test: TestGateway, path: string, body: object): Promise<Response> {
  return fetch(`${test.origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(body),
  })
}

it('a client with a session says no more about itself than is worth keeping', async () => {
  await using test = await start()
  const refused = await post(test, '/mcp', initialize(TOO_LONG))
  expect(refused.status).toBe(400)
  expect(refused.headers.has('mcp-session-id')).toBe(false)
  expect(await refused.json()).toEqual({ jsonrpc: '2.0', id: 7, error: INVALID })
  expect((await post(test, '/mcp', initialize('c'.repeat(60_000)))).headers.has('mcp-session-id')).toBe(true)
})

it('nor does a client of the oldest transport', async () => {
  await using test = await start()
  const { path } = await openSse(test)
  const refused = await post(test, path, initialize(TOO_LONG))
  expect(await refused.json()).toEqual({ jsonrpc: '2.0', id: 7, error: INVALID })
  expect((await post(test, path, initialize('c'))).status).toBe(202)
})

it.each(['clientInfo', 'clientCapabilities'])('nor does a client without a session (%s)', async (key) => {
  await using test = await start()
  const meta = { [`io.modelcontextprotocol/${key}`]: { name: TOO_LONG } }
  const refused = await postModern(test, 'tools/call', { name: 'a' }, { id: 7, meta })
  expect(await refused.json()).toEqual({ jsonrpc: '2.0', id: 7, error: INVALID })
  // A client need not say who it is.
  const nameless = { 'io.modelcontextprotocol/clientInfo': undefined }
  const params = { name: 'a', arguments: { text: TOO_LONG } }
  const large = await postModern(test, 'tools/call', params, { meta: nameless })
  expect(await large.json()).toHaveProperty('result')
})

it('a session subscribes to no URI that is too long, and to a thousand at most', async () => {
  await using test = await start()
  const post = await openSession(test)
  const ask = async (method: string, uri: string) =>
    (await post(JSON.stringify({ jsonrpc: '2.0', id: uri.slice(0, 20), method, params: { uri } }))).json()
  expect(await ask('resources/subscribe', 'u'.repeat(8 * 1024 + 1))).toMatchObject({ error: TOO_LONG_URI })
  expect(await ask('resources/subscribe', 'u'.repeat(8 * 1024))).toHaveProperty('result')
  for (let i = 1; i < 1000; i += 111)
    await Promise.all(Array.from({ length: 111 }, (_, at) => ask('resources/subscribe', `memo://${i + at}`)))
  expect(await ask('resources/subscribe', 'memo://more')).toMatchObject({
    error: { code: -32_602, message: expect.stringContaining('1000 subscriptions') },
  })
  expect(await ask('resources/subscribe', 'memo://1')).toHaveProperty('result')
  expect(await ask('resources/unsubscribe', 'memo://1')).toHaveProperty('result')
  expect(await ask('resources/subscribe', 'memo://more')).toHaveProperty('result')
})

it('a client without a session listens to no URI that is too long', async () => {
  await using test = await start()
  const notifications = { resourceSubscriptions: ['u'.repeat(8 * 1024 + 1)] }
  const refused = await postModern(test, 'subscriptions/listen', { notifications })
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({ error: TOO_LONG_URI })
})
