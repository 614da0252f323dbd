import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { messagesOf } from './support/events.ts'
import { startGateway, type TestGateway } from './support/gateway.ts'
import { postModern } from './support/modern-post.ts'
import { openSession } from './support/raw-server.ts'
import { startSessionServer } from './support/session-server.ts'
import { INITIALIZED, startSseServer } from './support/sse-server.ts'

const CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }

async function hearsChange(events: AsyncGenerator<object>, streams: Iterable<ServerResponse>): Promise<void> {
  for (const stream of streams) if (!stream.destroyed) stream.write(`data: ${JSON.stringify(CHANGED)}\n\n`)
  expect((await events.next()).value).toMatchObject({ method: CHANGED.method })
}

/** A stateless client that listens for changed tools, once the subscription is acknowledged. */
async function listen(test: TestGateway) {
  const response = await postModern(test, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  const events = messagesOf(response)
  expect((await events.next()).value).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
  return events
}

it('who is told that it is listened for misses nothing from then on, however slow the server is', async () => {
  await using test = await startGateway()
  await test.open()
  const server = await startSessionServer(test, async () => {
    await delay(100)
    return { result: {} }
  })
  await server.connect()
  const events = await listen(test)
  await hearsChange(events, server.streams)
})

it('a server that says nothing on its stream before it has something to say keeps no listener waiting', async () => {
  await using test = await startGateway()
  await test.open()
  const server = await startSessionServer(test, undefined, { isLate: true })
  await server.connect()
  const events = await listen(test)
  expect(server.streams.size).toBe(1)
  await hearsChange(events, server.streams)
})

it('who is no longer listened for when the server is there at last is told so', async () => {
  await using test = await startGateway()
  await test.open()
  const server = await startSessionServer(test, async () => {
    await delay(200)
    return { result: {} }
  })
  await server.connect()
  const response = postModern(test, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  await expect.poll(() => server.heard.filter(({ method }) => method === 'initialize').length).toBe(2)
  // Ends all sessions: from now on each has its own server.
  await test.open({ isolated: { maxSessions: 1, idleMs: 60_000 } })
  const messages = []
  for await (const message of messagesOf(await response)) messages.push(message)
  expect(messages.at(-1)).toMatchObject({ id: 1, result: { resultType: 'complete' } })
})

it.each([405, 404])(
  'a server that offers no stream (%s) keeps no listener waiting, and its sessions',
  async (status) => {
    await using test = await startGateway()
    await test.open()
    const answer = async ({ method }: { [key: string]: unknown }) => {
      if (method === 'tools/call') await delay(200)
      return { result: { content: [] } }
    }
    const server = await startSessionServer(test, answer, { streamStatus: status })
    await server.connect()
    await listen(test)
    for (const id of [1, 2]) {
      const response = await postModern(test, 'tools/call', { name: 'slow' }, { id })
      expect(await response.json()).toMatchObject({ id, result: { content: [] } })
    }
  },
)

it('a listener hears from a server that forgot all sessions, as before', async () => {
  await using test = await startGateway()
  await test.open()
  const server = await startSessionServer(test)
  await server.connect()
  const events = await listen(test)
  server.sessions.clear()
  for (const stream of server.streams) stream.end()
  await expect.poll(() => server.streams.size).toBe(0)
  await expect.poll(() => server.streams.size).toBe(1)
  await hearsChange(events, server.streams)
})

it.each(['answers', 'refuses'])(
  'a call is not lost when the stream of its client is the first to notice a forgotten session (the server %s it)',
  async (how) => {
    await using test = await startGateway()
    await test.open()
    const released = Promise.withResolvers<void>()
    const count = (wanted: string) => server.heard.filter(({ method }) => method === wanted).length
    const isHeld = ({ method }: { [key: string]: unknown }) => method === 'tools/call' && count('tools/call') === 1
    const hold = async (message: { [key: string]: unknown }) => (isHeld(message) ? released.promise : undefined)
    const server = await startSessionServer(
      test,
      (message) => hold(message).then(() => ({ result: { content: [] } })),
      { refuse: (message) => (how === 'refuses' && isHeld(message) ? released.promise.then(() => 404) : undefined) },
    )
    await server.connect()
    const session = await openSession(test)
    const gone = new AbortController()
    test.defer(() => gone.abort())
    await fetch(`${test.origin}/mcp`, { headers: session.headers, signal: gone.signal })
    await expect.poll(() => server.streams.size).toBe(1)
    const call = session(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow' } }))
    await expect.poll(() => count('tools/call')).toBe(1)
    const before = count('initialize')
    server.sessions.clear()
    for (const stream of server.streams) stream.end()
    await expect.poll(() => count('initialize')).toBe(before + 1)
    released.resolve()
    expect(await (await call).json()).toMatchObject({ id: 1, result: { content: [] } })
    expect(count('tools/call')).toBe(how === 'refuses' ? 2 : 1)
  },
)

it('a listener hears from the server that took the place of another, as before', async () => {
  await using test = await startGateway()
  await test.open()
  await (await startSessionServer(test)).connect()
  const events = await listen(test)
  const next = await startSessionServer(test)
  await next.connect()
  await expect.poll(() => next.streams.size).toBe(1)
  await hearsChange(events, next.streams)
})

it('a listener hears from a server that refused its session at first', async () => {
  await using test = await startGateway()
  await test.open()
  let greeted = 0
  const server = await startSessionServer(test, ({ method }) => {
    // The first is the gateway's own.
    const isRefused = method === 'initialize' && ++greeted === 2
    return isRefused ? { error: { code: -32_000, message: 'not now' } } : { result: {} }
  })
  await server.connect()
  const events = await listen(test)
  await expect.poll(() => server.streams.size).toBe(1)
  await hearsChange(events, server.streams)
})

it('a server that refuses each session is not asked for the next one without end', async () => {
  await using test = await startGateway()
  await test.open()
  let greeted = 0
  const server = await startSessionServer(test, ({ method }) => {
    const isRefused = method === 'initialize' && ++greeted > 1
    return isRefused ? { error: { code: -32_000, message: 'never' } } : { result: {} }
  })
  await server.connect()
  await listen(test)
  await expect.poll(() => greeted).toBeGreaterThan(3)
  await delay(500)
  expect(greeted).toBeLessThan(10)
})

it('a server that refuses sessions for good is not asked again', async () => {
  await using test = await startGateway()
  await test.open()
  let greeted = 0
  const refuse = ({ method }: { [key: string]: unknown }) =>
    method === 'initialize' && ++greeted > 1 ? 403 : undefined
  const server = await startSessionServer(test, undefined, { refuse })
  await server.connect()
  await listen(test)
  await delay(500)
  expect(greeted).toBe(2)
})

it('a client whose session could not be made again for a call is listened for later', async () => {
  await using test = await startGateway()
  await test.open()
  let isFull = false
  const refuse = ({ method }: { [key: string]: unknown }) => (isFull && method === 'initialize' ? 503 : undefined)
  const server = await startSessionServer(test, undefined, { refuse })
  await server.connect()
  const post = await openSession(test)
  const headers = { ...post.headers, accept: 'text/event-stream' }
  const events = messagesOf(await fetch(`${test.origin}/mcp`, { headers }))
  await expect.poll(() => server.streams.size).toBe(1)
  isFull = true
  server.sessions.clear()
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'any' } })
  expect(await (await post(call)).json()).toMatchObject({ error: { message: expect.stringContaining('503') } })
  await expect.poll(() => server.streams.size).toBe(0)
  isFull = false
  await expect.poll(() => server.streams.size).toBe(1)
  await hearsChange(events, server.streams)
})

/**
 * A server of the older transport and era. `onGreeted` gets the number of sessions so far, and the stream of the last.
 */
function startOlderServer(test: TestGateway, onGreeted: (session: number, stream: ServerResponse) => void) {
  let sessions = 0
  return startSseServer(test, ({ method }, stream) => {
    if (method === 'server/discover') return { error: { code: -32_601, message: 'no' } }
    if (method === 'notifications/initialized') onGreeted(++sessions, stream)
    return method === 'initialize' ? INITIALIZED : undefined
  })
}

it('a server that ends each session at once is not asked for the next one without end', async () => {
  await using test = await startGateway()
  await test.open({ transport: 'sse' })
  // The first session is the gateway's own, and it stays.
  const { streams, connect } = await startOlderServer(test, (session, stream) => session > 1 && stream.end())
  await connect()
  await listen(test)
  await expect.poll(() => streams.length).toBeGreaterThan(3)
  await delay(500)
  expect(streams.length).toBeLessThan(10)
})

it('a listener at a server of the older transport is greeted again when the gateway connects again', async () => {
  await using test = await startGateway()
  await test.open({ transport: 'sse' })
  const { streams, connect } = await startOlderServer(test, () => {})
  await connect()
  const events = await listen(test)
  await connect()
  await expect.poll(() => streams.filter((stream) => !stream.destroyed).length).toBe(2)
  await hearsChange(events, streams)
})
