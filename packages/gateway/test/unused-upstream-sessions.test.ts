import { afterEach, describe, expect, it, vi } from 'vitest'
import { until } from '@toolhaven/testing/testbed/until'
import { memoryStore, NAME, startGateway, type TestGateway } from './support/gateway.ts'
import { openSession } from './support/raw-server.ts'
import { startSessionServer } from './support/session-server.ts'
import { INITIALIZED, startSseServer } from './support/sse-server.ts'

afterEach(() => void vi.useRealTimers())

const LIMITS = { keepAliveMs: 20 }
const HALF_AN_HOUR_MS = 30 * 60 * 1000

/** Moves only the clock: what waits for sockets goes on. */
function passTime(ms: number): void {
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(now + ms)
}

const call = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

/** Long enough for several sweeps: for what must not happen. */
const sweeps = () => new Promise((resolve) => setTimeout(resolve, 10 * LIMITS.keepAliveMs))

async function start(test: TestGateway, clients: number, answer?: Parameters<typeof startSessionServer>[1]) {
  await test.open({ transport: 'streamable-http' })
  const server = await startSessionServer(test, answer)
  await server.connect()
  const opened = await Promise.all(Array.from({ length: clients }, () => openSession(test)))
  const expectCount = (wanted: number) => until(`${wanted} sessions`, () => server.sessions.size === wanted)
  await expectCount(clients + 1)
  return { server, opened, expectCount }
}

describe('the session at an HTTP server of a client that is away', () => {
  it('is ended after half an hour, and made again with its subscriptions when the client comes back', async () => {
    await using test = await startGateway({ limits: LIMITS })
    const { server, opened, expectCount } = await start(test, 20)
    await (await opened[0]?.(call('resources/subscribe', { uri: 'memo://a' })))?.text()
    passTime(HALF_AN_HOUR_MS - 60_000)
    await sweeps()
    expect(server.sessions.size).toBe(21)
    passTime(61_000)
    await expectCount(1)
    server.heard.length = 0
    expect(await (await opened[0]?.(call('tools/list')))?.json()).toMatchObject({ result: {} })
    expect(server.heard.map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
      'resources/subscribe',
      'tools/list',
    ])
    await expectCount(2)
  })

  it('stays where the server does not end sessions, which would only become more', async () => {
    await using test = await startGateway({ limits: LIMITS })
    await test.open({ transport: 'streamable-http' })
    const server = await startSessionServer(test, undefined, { keepsSessions: true })
    await server.connect()
    const opened = await Promise.all(Array.from({ length: 10 }, () => openSession(test)))
    for (let round = 0; round < 3; round += 1) {
      passTime(HALF_AN_HOUR_MS + 1000)
      await sweeps()
      for (const post of opened) await (await post(call('tools/list'))).text()
    }
    // One was tried, and is made again.
    expect(server.sessions.size).toBeLessThanOrEqual(10 + 1 + 1)
  })

  it('stays while the client listens', async () => {
    await using test = await startGateway({ limits: LIMITS })
    const { server, opened, expectCount } = await start(test, 3)
    const gone = new AbortController()
    const headers = { ...opened[0]?.headers, accept: 'text/event-stream' }
    const stream = await fetch(`${test.origin}/mcp`, { headers, signal: gone.signal })
    passTime(2 * HALF_AN_HOUR_MS)
    await expectCount(2)
    gone.abort()
    await stream.text().catch(() => undefined)
    // The half hour begins when the gateway notices.
    await until('its session to end', () => {
      passTime(2 * HALF_AN_HOUR_MS)
      return server.sessions.size === 1
    })
  })

  it('stays while a call is not answered', async () => {
    await using test = await startGateway({ limits: LIMITS })
    const answered = Promise.withResolvers<object>()
    const { server, opened, expectCount } = await start(test, 2, async ({ method }) =>
      method === 'tools/call' ? { result: await answered.promise } : { result: {} },
    )
    const gone = new AbortController()
    const held = opened[0]?.(call('tools/call', { name: 'slow' }), {}, gone.signal)
    await until('the call', () => server.heard.some(({ method }) => method === 'tools/call'))
    gone.abort()
    await held?.catch(() => undefined)
    passTime(2 * HALF_AN_HOUR_MS)
    await expectCount(2)
    await sweeps()
    expect(server.sessions.size).toBe(2)
    answered.resolve({})
    // The half hour begins when the gateway notices that the client has gone, which may be after the clock moved.
    await until('its session to end', () => {
      passTime(2 * HALF_AN_HOUR_MS)
      return server.sessions.size === 1
    })
  })

  it('stays when the client has started a task there, over a restart of the daemon too', async () => {
    const sessionStore = memoryStore()
    await using former = await startGateway({ limits: LIMITS, sessionStore })
    const { server, opened, expectCount } = await start(former, 2)
    // What was stored before does not contain the task.
    await until('the sessions to be stored', () => sessionStore.data.get(NAME)?.match(/"sessionId"/g)?.length === 2)
    await (await opened[0]?.(call('tools/call', { name: 'long', task: { ttl: 86_400_000 } })))?.text()
    await former.gateway.shutdown(0)
    await expectCount(2)
    await using test = await startGateway({ limits: LIMITS, sessionStore }, former.port)
    await test.open({ transport: 'streamable-http' })
    await server.connect(test)
    passTime(2 * HALF_AN_HOUR_MS)
    // The session with the task, and the gateway's own.
    await expectCount(2)
    await sweeps()
    expect(server.sessions.size).toBe(2)
  })

  it('is ended when the call that was to start a task there was refused', async () => {
    await using test = await startGateway({ limits: LIMITS })
    const refuse = ({ method }: { method?: unknown }) =>
      method === 'tools/call' ? { error: { code: -32_602, message: 'no' } } : { result: {} }
    const { opened, expectCount } = await start(test, 1, refuse)
    await (await opened[0]?.(call('tools/call', { name: 'long', task: { ttl: 86_400_000 } })))?.text()
    passTime(2 * HALF_AN_HOUR_MS)
    await expectCount(1)
  })

  it('has its time after a restart of the daemon too', async () => {
    const sessionStore = memoryStore()
    await using former = await startGateway({ limits: LIMITS, sessionStore })
    const { server, opened, expectCount } = await start(former, 2)
    await former.gateway.shutdown(0)
    passTime(HALF_AN_HOUR_MS + 1000)
    await using test = await startGateway({ limits: LIMITS, sessionStore }, former.port)
    await test.open({ transport: 'streamable-http' })
    await server.connect(test)
    await sweeps()
    expect(server.sessions.size).toBe(3)
    expect(await (await opened[0]?.(call('tools/list')))?.json()).toMatchObject({ result: {} })
    passTime(HALF_AN_HOUR_MS + 1000)
    await expectCount(1)
  })

  it('is ended as early as the workload says', async () => {
    await using test = await startGateway({ limits: LIMITS })
    const { expectCount } = await start(test, 3)
    await test.open({ transport: 'streamable-http', limits: { sessionIdleMs: 60_000 } })
    passTime(61_000)
    await expectCount(1)
  })

  it('is ended at a server of the older transport too', async () => {
    await using test = await startGateway({ limits: LIMITS })
    await test.open({ transport: 'sse' })
    const server = await startSseServer(test, ({ method }) => {
      if (method === 'initialize') return INITIALIZED
      return method === 'server/discover' ? { error: { code: -32_601, message: 'no' } } : { result: {} }
    })
    await server.connect()
    const openStreams = () => server.streams.filter(({ destroyed }) => !destroyed).length
    const opened = await openSession(test)
    await until('a stream of the client', () => openStreams() === 2)
    passTime(HALF_AN_HOUR_MS + 1000)
    await until('it to end', () => openStreams() === 1)
    expect(await (await opened(call('tools/list'))).json()).toMatchObject({ result: {} })
    expect(openStreams()).toBe(2)
    test.gateway.disconnect(NAME, 'the test is over')
  })
})
