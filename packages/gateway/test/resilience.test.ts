import { describe, expect, it } from 'vitest'
import { childServer } from '@toolhaven/testing/mcp-servers/child-channel'
import { connectClient, memoryStore, NAME, never, startGateway } from './support/gateway.ts'

describe('when the server crashes in the middle of a call', () => {
  it('the caller gets one error, others too, and sessions work with the next process', async () => {
    await using test = await startGateway()
    await test.open()
    await test.run()
    const [a, b, c] = [
      await connectClient(test, 'v1 http'),
      await connectClient(test, 'v2 sse'),
      await connectClient(test, 'v1 http'),
    ]
    const outcomes = await Promise.allSettled([b.call('sleep', { ms: 60_000 }), a.call('crash')])
    const reason = { code: -32_000, message: expect.stringMatching(/process ended.*exit code 3/) }
    expect(outcomes).toMatchObject([{ reason }, { reason }])
    expect(test.lost).toEqual([expect.stringContaining('exit code 3')])
    await test.run()
    expect(await Promise.all([a, b, c].map((client) => client.call('echo', { text: 'again' })))).toEqual([
      'again',
      'again',
      'again',
    ])
  })

  it('a call made meanwhile waits for the next process', async () => {
    await using test = await startGateway()
    await test.open()
    await test.run()
    const client = await connectClient(test, 'v1 http')
    test.gateway.disconnect(NAME, 'stopped for a moment')
    const waiting = client.call('echo', { text: 'patient' })
    await test.run()
    expect(await waiting).toBe('patient')
  })

  it('a call made meanwhile fails with the reason when nothing comes back', async () => {
    await using test = await startGateway({ limits: { backendWaitMs: 50 } })
    await test.open()
    await test.run()
    const client = await connectClient(test, 'v1 http')
    test.gateway.disconnect(NAME, 'the disk is full')
    await expect(client.call('echo', { text: 'x' })).rejects.toThrow(/not available \(the disk is full\)/)
    expect(test.lost).toEqual([])
    await expect(test.gateway.ping(NAME, never)).rejects.toThrow(/not connected/)
  })

  it('subscriptions and the log level are asked for again', async () => {
    await using test = await startGateway()
    await test.open()
    const first = await test.run()
    const client = await connectClient(test, 'v1 http')
    await client.v1?.subscribeResource({ uri: 'memo://a' })
    await client.v1?.setLoggingLevel('warning')
    await first.kill()
    await test.run()
    await expect
      .poll(async () => JSON.parse(await client.call('stats')))
      .toMatchObject({ initialized: 1, subscribed: 1, level: 'warning' })
  })
})

describe('a server that', () => {
  it('dies at once makes connect fail with its exit code', async () => {
    await using test = await startGateway()
    await test.open()
    await expect(test.run(['--behaviour=crash-at-start'])).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('exit code 1'),
    })
    expect(test.lost).toEqual([])
  })

  it('says nothing makes connect fail in time', async () => {
    await using test = await startGateway({ limits: { handshakeMs: 700 } })
    await test.open()
    await expect(test.run(['--behaviour=silent'])).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('in time'),
    })
  })

  it('is being connected is left when the signal aborts', async () => {
    await using test = await startGateway()
    await test.open()
    const child = childServer(['--behaviour=silent'])
    test.defer(() => child.kill())
    const connecting = test.gateway.connect(
      NAME,
      { kind: 'stdio', channel: child.channel, processId: 'p', start: child.start },
      AbortSignal.timeout(300),
    )
    await expect(connecting).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('writes garbage and floods stderr serves its clients, and the garbage is its output', async () => {
    await using test = await startGateway()
    await test.open()
    await test.run(['--behaviour=chatty'])
    const client = await connectClient(test, 'v1 http')
    expect(await Promise.all([1, 2, 3].map((i) => client.call('echo', { text: String(i) })))).toEqual(['1', '2', '3'])
    expect(test.output).toContain('stdout: not json at all')
    await expect.poll(() => test.output.filter((line) => line.startsWith('stderr: noise')).length).toBeGreaterThan(50)
    for (const line of test.output) expect(line.length).toBeLessThan(9000)
  })

  it('is slow is waited for', async () => {
    await using test = await startGateway()
    await test.open()
    await test.run(['--behaviour=slow'])
    const client = await connectClient(test, 'v1 http')
    expect(await client.call('echo', { text: 'late' })).toBe('late')
  })

  it('answers with many megabytes is read', async () => {
    await using test = await startGateway()
    await test.open()
    await test.run(['--behaviour=huge'])
    const client = await connectClient(test, 'v1 http')
    expect((await Promise.all([1, 2, 3].map(() => client.call('echo')))).map((text) => text.length)).toEqual([
      4_000_000, 4_000_000, 4_000_000,
    ])
  })

  it('answers pings is alive', async () => {
    await using test = await startGateway()
    await test.open()
    const child = await test.run()
    await test.gateway.ping(NAME, never)
    await child.kill()
    await expect(test.gateway.ping(NAME, never)).rejects.toMatchObject({ code: 'unavailable' })
  })
})

describe('after a restart of the daemon', () => {
  it('a client goes on in its session with the same process, which sees no second handshake', async () => {
    const sessionStore = memoryStore()
    const before = await startGateway({ sessionStore })
    await before.open()
    const child = await before.run([], 'container-1')
    const client = await connectClient(before, 'v1 http')
    expect(await client.call('echo', { text: '1' })).toBe('1')
    await client.v1?.subscribeResource({ uri: 'memo://a' })
    await before.gateway.shutdown(1000)

    await using after = await startGateway({ sessionStore }, before.port)
    after.defer(() => before[Symbol.asyncDispose]())
    await after.open()
    await after.gateway.connect(NAME, { kind: 'stdio', channel: child.channel, processId: 'container-1' }, never)
    // The client may still hold a connection of the former daemon, and finds out when it tries.
    await expect.poll(() => client.call('echo', { text: '2' }).catch(() => 'lost')).toBe('2')
    expect(JSON.parse(await client.call('stats'))).toMatchObject({ initialized: 1, subscribed: 1 })
    expect(await client.call('pid')).toBe(String(child.pid))
  })

  it('a client goes on in its session with a new process', async () => {
    const sessionStore = memoryStore()
    const before = await startGateway({ sessionStore })
    await before.open()
    await before.run([], 'one')
    const client = await connectClient(before, 'v2 http')
    await before.gateway.shutdown(1000)

    await using after = await startGateway({ sessionStore }, before.port)
    after.defer(() => before[Symbol.asyncDispose]())
    await after.open()
    await after.run([], 'two')
    await expect.poll(() => client.call('echo', { text: 'still here' }).catch(() => 'lost')).toBe('still here')
    expect(JSON.parse(await client.call('stats'))).toMatchObject({ initialized: 1 })
  })

  it('calls in flight were finished first', async () => {
    await using test = await startGateway()
    await test.open()
    await test.run()
    const client = await connectClient(test, 'v1 http')
    const call = client.call('sleep', { ms: 300, text: 'done' })
    await expect.poll(async () => JSON.parse(await client.call('stats')).sleeping).toBe(1)
    await Promise.all([test.gateway.shutdown(20_000), expect(call).resolves.toBe('done')])
  })

  it('sessions of a closed workload are forgotten', async () => {
    const sessionStore = memoryStore()
    await using test = await startGateway({ sessionStore, limits: { saveDelayMs: 1 } })
    await test.open()
    await test.run()
    await connectClient(test, 'v1 http')
    await expect.poll(() => sessionStore.data.size).toBe(1)
    await test.gateway.close(NAME)
    expect(sessionStore.data.size).toBe(0)
    expect(await test.gateway.isPortFree('127.0.0.1', test.port)).toBe(true)
  })

  it('unreadable stored sessions are left out', async () => {
    const sessionStore = memoryStore()
    sessionStore.data.set(NAME, '{"format":99,"sessions":"?"}')
    await using test = await startGateway({ sessionStore })
    await test.open()
    await test.run()
    const client = await connectClient(test, 'v1 http')
    expect(await client.call('echo', { text: 'x' })).toBe('x')
  })
})
