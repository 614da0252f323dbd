import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { KeptBytes } from '../src/sessions/kept-bytes.ts'
import { messagesOf } from './support/events.ts'
import { startGateway, type TestGateway } from './support/gateway.ts'
import { runIsolated } from './support/isolated.ts'
import { postModern } from './support/modern-post.ts'
import { openSession } from './support/raw-server.ts'
import { connectScripted, type Script } from './support/scripted-server.ts'
import { startSessionServer } from './support/session-server.ts'
import { INITIALIZE, openSse } from './support/sse-client.ts'

/** The filter of one `subscriptions/listen`. */
const listen = (test: TestGateway, uris: string[], signal?: AbortSignal) =>
  postModern(test, 'subscriptions/listen', { notifications: { resourceSubscriptions: uris } }, { signal })

const connectServer = (test: TestGateway, script: Script) =>
  connectScripted(test, script, { resources: { subscribe: true } })

const named = (heard: readonly { [key: string]: unknown }[], name: string) =>
  heard.filter(({ method }) => method === name)

describe('clients that leave while their initialize waits for a server', () => {
  it('have no servers of their own started', async () => {
    await using test = await startGateway()
    await test.open({ isolated: { maxSessions: 2, idleMs: 60_000 } })
    for (let clients = 0; clients < 3; clients++) {
      const client = await openSse(test)
      expect(await client.post(INITIALIZE)).toBe(202)
      await client.leave()
    }
    const { started } = await runIsolated(test)
    const client = await openSse(test)
    await client.post(INITIALIZE)
    await expect.poll(() => client.got).toMatchObject([{ id: 'first', result: {} }])
    // It gets the existing server, which nobody took before.
    expect(started).toHaveLength(1)
  })

  it('have no sessions opened at an HTTP server', async () => {
    await using test = await startGateway()
    await test.open()
    for (let clients = 0; clients < 3; clients++) {
      const client = await openSse(test)
      expect(await client.post(INITIALIZE)).toBe(202)
      await client.leave()
    }
    const server = await startSessionServer(test)
    await server.connect()
    const client = await openSse(test)
    await client.post(INITIALIZE)
    await expect.poll(() => client.got).toMatchObject([{ id: 'first', result: {} }])
    await expect.poll(() => server.streams.size).toBe(1)
    // The gateway's own session and that of the client that stayed.
    expect(named(server.heard, 'initialize')).toHaveLength(2)
  })
})

it('a message that is still on its way when its stream closes is refused, and costs no memory', async () => {
  const kept = new KeptBytes(1_000_000)
  await using test = await startGateway({ kept })
  await test.open()
  const { heard } = await connectScripted(test, () => ({ result: { content: [] } }))
  const client = await openSse(test)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a' } })
  const socket = connect(test.port, '127.0.0.1')
  test.defer(() => socket.destroy())
  const head = `host: 127.0.0.1:${test.port}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
  socket.write(`POST ${client.path} HTTP/1.1\r\n${head}\r\n\r\n${body.slice(0, 5)}`)
  // Requests are read in the order in which they arrive.
  expect(await client.post({ method: 'notifications/nothing' })).toBe(202)
  await client.leave()
  socket.write(body.slice(5))
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 404 /)
  expect(named(heard, 'tools/call')).toEqual([])
  expect(kept.bytes).toBe(0)
})

it('a client that only listens hears a server that forgot its session before the first GET', async () => {
  await using test = await startGateway()
  await test.open()
  const server = await startSessionServer(test)
  await server.connect()
  const { headers } = await openSession(test)
  server.sessions.clear()
  const gone = new AbortController()
  test.defer(() => gone.abort())
  const stream = await fetch(`${test.origin}/mcp`, { headers, signal: gone.signal })
  await expect.poll(() => server.streams.size).toBe(1)
  const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
  for (const open of server.streams) open.write(`data: ${JSON.stringify(changed)}\n\n`)
  const first = await messagesOf(stream).next()
  expect(first.value).toMatchObject(changed)
})

describe('a client that leaves while it is being subscribed', () => {
  it('leaves no session behind at an HTTP server, which hears nothing more', async () => {
    await using test = await startGateway()
    await test.open()
    const asked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const server = await startSessionServer(test, async ({ method }) => {
      if (method === 'resources/subscribe') {
        asked.resolve()
        await released.promise
      }
      return { result: {} }
    })
    await server.connect()
    const gone = new AbortController()
    const left = listen(test, ['memo://a', 'memo://b', 'memo://c'], gone.signal).catch(() => 'left')
    await asked.promise
    gone.abort()
    expect(await left).toBe('left')
    await expect.poll(() => server.sessions.size).toBe(1)
    released.resolve()
    // A stream that stays is answered after anything that the first might still have caused.
    const stayed = await listen(test, ['memo://d'])
    expect(stayed.status).toBe(200)
    await stayed.body?.cancel()
    await expect.poll(() => server.sessions.size).toBe(1)
    const uris = named(server.heard, 'resources/subscribe').map(({ params }) => params)
    expect(uris).toEqual([{ uri: 'memo://a' }, { uri: 'memo://d' }])
    expect(server.streams.size).toBe(0)
  })

  it('is subscribed to nothing at a shared server', async () => {
    await using test = await startGateway()
    await test.open()
    // It never says that it has subscribed.
    const { heard } = await connectServer(test, ({ method }) =>
      method === 'resources/subscribe' ? undefined : { result: {} },
    )
    const gone = new AbortController()
    const left = listen(test, ['memo://a', 'memo://b'], gone.signal).catch(() => 'left')
    await expect.poll(() => named(heard, 'resources/subscribe')).toHaveLength(1)
    gone.abort()
    expect(await left).toBe('left')
    await expect
      .poll(() => named(heard, 'resources/unsubscribe').map(({ params }) => params))
      .toEqual([{ uri: 'memo://a' }])
    expect(named(heard, 'resources/subscribe')).toHaveLength(1)
  })
})

describe('one subscription', () => {
  it('names a limited number of resources', async () => {
    await using test = await startGateway()
    await test.open()
    const { heard } = await connectServer(test, () => ({ result: {} }))
    const uris = Array.from({ length: 1001 }, (_, at) => `memo://${at}`)
    const refused = await listen(test, uris)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: { code: -32_602, message: expect.stringContaining('1000') } })
    expect(named(heard, 'resources/subscribe')).toEqual([])
    const taken = await listen(test, uris.slice(1))
    expect(taken.status).toBe(200)
    await taken.body?.cancel()
    expect(named(heard, 'resources/subscribe')).toHaveLength(1000)
  })
})
