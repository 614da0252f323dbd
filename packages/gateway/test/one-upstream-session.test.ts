import { describe, expect, it } from 'vitest'
import { startGateway } from './support/gateway.ts'
import { startSessionServer } from './support/session-server.ts'
import { INITIALIZE, openSse } from './support/sse-client.ts'

describe('a client of the older transport has one session at an HTTP server', () => {
  it('that is made again, also when its initialize waited for the server', async () => {
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
    const changed = { method: 'notifications/tools/list_changed' }
    await expect.poll(() => client.got).toMatchObject([{ id: 'first' }, changed, { id: 'again', result: {} }])
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
    await expect.poll(() => client.got.map(({ id }) => String(id)).toSorted()).toEqual(['early', 'first'])
    expect(greetings).toBe(2)
    expect(server.sessions.size).toBe(2)
  })

  it('however often it sends initialize', async () => {
    await using test = await startGateway()
    await test.open()
    const server = await startSessionServer(test)
    const client = await openSse(test)
    // It waits for the server, and even two of them are too many.
    await client.post(INITIALIZE)
    await client.post({ ...INITIALIZE, id: 'second' })
    await server.connect()
    await expect.poll(() => client.got.map(({ id }) => String(id)).toSorted()).toEqual(['first', 'second'])
    await client.post({ ...INITIALIZE, id: 'third' })
    const error = { code: -32_600, message: 'This session is already initialized.' }
    await expect.poll(() => client.got.length).toBe(3)
    expect(client.got).toContainEqual({ jsonrpc: '2.0', id: 'second', error })
    expect(client.got.at(-1)).toEqual({ jsonrpc: '2.0', id: 'third', error })
    expect(server.sessions.size).toBe(2)
    await client.leave()
    await expect.poll(() => server.sessions.size).toBe(1)
    await expect.poll(() => server.streams.size).toBe(0)
  })

  it('also when it called before it sent initialize', async () => {
    await using test = await startGateway()
    await test.open()
    const asked = Promise.withResolvers<void>()
    const server = await startSessionServer(test, ({ method }) => {
      if (method !== 'tools/list') return { result: {} }
      asked.resolve()
      return new Promise(() => {})
    })
    await server.connect()
    const client = await openSse(test)
    await client.post({ id: 'early', method: 'tools/list' })
    await asked.promise
    await client.post(INITIALIZE)
    await expect.poll(() => client.got.map(({ id }) => String(id)).toSorted()).toEqual(['early', 'first'])
    await expect.poll(() => server.sessions.size).toBe(2)
  })

  it('and may try again when none was there', async () => {
    await using test = await startGateway({ limits: { backendWaitMs: 50 } })
    await test.open()
    const server = await startSessionServer(test)
    const client = await openSse(test)
    await client.post(INITIALIZE)
    await expect.poll(() => client.got).toMatchObject([{ id: 'first', error: {} }])
    await server.connect()
    await client.post({ ...INITIALIZE, id: 'second' })
    await expect
      .poll(() => client.got)
      .toMatchObject([
        { id: 'first', error: {} },
        { id: 'second', result: {} },
      ])
  })
})
