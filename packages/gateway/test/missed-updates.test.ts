import { expect, it } from 'vitest'
import { NAME, never, startGateway } from './support/gateway.ts'
import { openSession } from './support/raw-server.ts'
import { connectScripted, scriptedServer } from './support/scripted-server.ts'
import { startSessionServer } from './support/session-server.ts'
import { INITIALIZE, openSse } from './support/sse-client.ts'

const CAPABILITIES = { tools: { listChanged: true }, resources: { subscribe: true } }
const request = (id: number, method: string, params = {}) => JSON.stringify({ jsonrpc: '2.0', id, method, params })

/** What arrives on the stream of a session, as text. */
async function listen(url: string, headers: Record<string, string>) {
  const gone = new AbortController()
  const response = await fetch(url, { headers: { ...headers, accept: 'text/event-stream' }, signal: gone.signal })
  const heard = { text: '', leave: () => gone.abort() }
  const read = async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) heard.text += chunk
  }
  void read().catch(() => undefined)
  return heard
}

it('a client that subscribed hears that things may have changed while the server was away', async () => {
  await using test = await startGateway()
  await test.open()
  const first = await connectScripted(test, () => ({ result: {} }), CAPABILITIES)
  const session = await openSession(test)
  await (await session(request(1, 'resources/subscribe', { uri: 'memo://one' }))).text()
  const heard = await listen(`${test.origin}/mcp`, session.headers)
  first.channel.onClose()
  await expect.poll(() => test.lost.length).toBe(1)
  expect(heard.text).not.toContain('updated')
  const second = scriptedServer(({ id, method }) => {
    if (method === 'server/discover') return { error: { code: -32_601, message: 'no' } }
    const greeting = {
      protocolVersion: '2025-11-25',
      capabilities: CAPABILITIES,
      serverInfo: { name: 's', version: '1' },
    }
    return id === undefined ? undefined : { result: method === 'initialize' ? greeting : {} }
  })
  const { channel } = second
  await test.gateway.connect(NAME, { kind: 'stdio', channel, processId: 'second', start: async () => {} }, never)
  await expect
    .poll(() => heard.text)
    .toContain('"method":"notifications/resources/updated","params":{"uri":"memo://one"}')
  expect(heard.text).toContain('notifications/tools/list_changed')
  expect(heard.text).not.toContain('notifications/prompts/list_changed')
  expect(second.heard.filter(({ method }) => method === 'resources/subscribe')).toHaveLength(1)
  heard.leave()
})

it('so it does when an HTTP server forgot its session', async () => {
  await using test = await startGateway()
  await test.open({ transport: 'streamable-http' })
  const server = await startSessionServer(test)
  await server.connect()
  const session = await openSession(test)
  await (await session(request(1, 'resources/subscribe', { uri: 'memo://one' }))).text()
  const heard = await listen(`${test.origin}/mcp`, session.headers)
  server.sessions.clear()
  await (await session(request(2, 'tools/list'))).text()
  await expect
    .poll(() => heard.text)
    .toContain('"method":"notifications/resources/updated","params":{"uri":"memo://one"}')
  heard.leave()
})

it('a server that forgets each session after one request is not listed without end', async () => {
  await using test = await startGateway()
  await test.open()
  const server = await startSessionServer(test, ({ method }) => {
    if (method === 'tools/list') server.sessions.clear()
    return { result: { tools: [] } }
  })
  await server.connect()
  const client = await openSse(test)
  await client.post(INITIALIZE)
  await client.post({ id: 0, method: 'tools/list' })
  const notices = () => client.got.filter(({ method }) => method === 'notifications/tools/list_changed').length
  let lists = 0
  // The client lists once on its own, and again for each notice. A notice arrives on the stream before the answer.
  while (lists <= notices() && lists < 10) {
    const id = ++lists
    await client.post({ id, method: 'tools/list' })
    await expect.poll(() => client.got.some((message) => message.id === id)).toBe(true)
  }
  expect(lists).toBe(2)
  const greetings = server.heard.filter(({ method }) => method === 'initialize')
  expect(greetings.length).toBeLessThan(6)
  await client.leave()
})
