import { describe, expect, it } from 'vitest'
import { until } from '@toolhaven/testing/testbed/until'
import { memoryStore, NAME, startGateway, type TestGateway } from './support/gateway.ts'
import { openSession } from './support/raw-server.ts'
import { startSessionServer, type SessionServer } from './support/session-server.ts'

const CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })

/** A server at which this many clients have sessions, and the gateway its own. */
async function start(test: TestGateway, clients: number) {
  await test.open({ transport: 'streamable-http' })
  const server = await startSessionServer(test)
  await server.connect()
  const opened = await Promise.all(Array.from({ length: clients }, () => openSession(test)))
  expect(server.sessions.size).toBe(clients + 1)
  return { server, opened }
}

const expectCount = ({ sessions }: SessionServer, wanted: number) =>
  until(`${wanted} sessions`, () => sessions.size === wanted)

describe('sessions at an HTTP server', () => {
  it('are ended when the workload is removed', async () => {
    await using test = await startGateway()
    const { server } = await start(test, 40)
    await test.gateway.close(NAME)
    await expectCount(server, 0)
  })

  it('are ended when the workload stops, and made again when it starts', async () => {
    await using test = await startGateway()
    const { server, opened } = await start(test, 40)
    test.gateway.disconnect(NAME, 'the workload was stopped', true)
    await expectCount(server, 0)
    await server.connect()
    expect(await (await opened[0]?.(CALL))?.json()).toMatchObject({ result: {} })
    await expectCount(server, 2)
  })

  it('are ended with the session of their client', async () => {
    await using test = await startGateway()
    const { server, opened } = await start(test, 3)
    for (const { headers } of opened) await fetch(`${test.origin}/mcp`, { method: 'DELETE', headers })
    await expectCount(server, 1)
  })

  it('are ended after the daemon that opened them was replaced', async () => {
    const sessionStore = memoryStore()
    await using former = await startGateway({ sessionStore })
    const { server } = await start(former, 3)
    await former.gateway.shutdown(0)
    // The gateway's own session is of no use to the next one. Those of clients are.
    await expectCount(server, 3)
    await using test = await startGateway({ sessionStore }, former.port)
    await test.open({ transport: 'streamable-http' })
    await server.connect(test)
    await test.gateway.close(NAME)
    await expectCount(server, 0)
  })

  it('of the gateway itself stay one, however often the server is connected', async () => {
    await using test = await startGateway()
    const { server } = await start(test, 2)
    for (let i = 0; i < 5; i++) await server.connect()
    await expectCount(server, 3)
  })

  it('keep nobody waiting at a server that does not answer', async () => {
    await using test = await startGateway()
    const { server } = await start(test, 40)
    server.isHanging = true
    await test.gateway.close(NAME)
    expect(server.sessions.size).toBeGreaterThan(0)
  })

  it('that are ended by a stop tell the callers of their calls why', async () => {
    await using test = await startGateway()
    await test.open({ transport: 'streamable-http' })
    const server = await startSessionServer(test, ({ method }) =>
      method === 'tools/call' ? new Promise(() => {}) : { result: {} },
    )
    await server.connect()
    const session = await openSession(test)
    const call = session(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow' } }))
    await until('the call', () => server.heard.some(({ method }) => method === 'tools/call'))
    test.gateway.disconnect(NAME, 'the workload was stopped', true)
    expect(await (await call).text()).toContain('the workload was stopped')
  })
})
