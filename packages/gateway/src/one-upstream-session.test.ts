import { describe, expect, it } from 'vitest'
import { startGateway } from './test-gateway.ts'
import { startSessionServer } from './test-session-server.ts'
import { INITIALIZE, openSse } from './test-sse-client.ts'

describe('a client of the older transport has one session at an HTTP server', () => {
  it('that is made anew, also when its initialize waited for the server', async () => {
    await using test = await startGateway()
    await test.open()
    const server = await startSessionServer(test)
    const client = await openSse(test)
    expect(await client.post(INITIALIZE)).toBe(202)
    await server.connect()
    await expect.poll(() => client.got).toMatchObject([{ id: 'first', result: {} }])
    await expect.poll(() => server.streams.size).toBe(1)
    expect(server.sessions.size).toBe(2)
    server.sessions.clear()
    await client.post({ id: 'again', method: 'tools/list' })
    await expect.poll(() => client.got).toMatchObject([{ id: 'first' }, { id: 'again', result: {} }])
  })

  it('that a call waits for which came before the answer to initialize', async () => {
    await using test = await startGateway()
    await test.open()
    const released = Promise.withResolvers<void>()
    let greetings = 0
    const server = await startSessionServer(test, async ({ method }) => {
      // The first is the gateway's own.
      if (method === 'initialize' && ++greetings > 1) await released.promise
      return { result: {} }
    })
    await server.connect()
    const client = await openSse(test)
    await client.post(INITIALIZE)
    await client.post({ id: 'early', method: 'tools/list' })
    await expect.poll(() => greetings).toBeGreaterThan(1)
    released.resolve()
    await expect.poll(() => client.got.map(({ id }) => id).toSorted()).toEqual(['early', 'first'])
    expect(greetings).toBe(2)
    expect(server.sessions.size).toBe(2)
  })
})
