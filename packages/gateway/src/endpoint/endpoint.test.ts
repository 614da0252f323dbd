import { createConnection } from 'node:net'
import { describe, expect, it } from 'vitest'
import { freePort } from '@toolhaven/testing/free-port'
import { WAITING } from '../http/server/bounded-server.ts'
import { AllPorts, type Connections } from '../http/server/connections.ts'
import { connectClient, NAME, startGateway } from '../../test/support/gateway.ts'

describe('the port', () => {
  it('that is taken is named with its holder', async () => {
    await using one = await startGateway()
    await one.open()
    await using two = await startGateway({}, one.port)
    await expect(two.open()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(new RegExp(`Port ${one.port} .*pid ${process.pid}`)),
    })
    expect(await two.gateway.isPortFree('127.0.0.1', one.port)).toBe(false)
  })

  it('that is taken does not stay among the open ones', async () => {
    const open = new Set<unknown>()
    class Watched extends AllPorts {
      override add(port: Connections) {
        super.add(port)
        open.add(port)
      }
      override delete(port: Connections) {
        super.delete(port)
        open.delete(port)
      }
    }
    await using holder = await startGateway()
    await holder.open()
    await using test = await startGateway({ waiting: { ...WAITING, all: new Watched(100) } }, holder.port)
    await expect(test.open()).rejects.toThrow('is taken')
    await expect.poll(() => open.size).toBe(0)
  })

  it('is bound at the asked address only', async () => {
    await using test = await startGateway()
    await test.open()
    const connect = (host: string) =>
      new Promise((resolve) => {
        const socket = createConnection(test.port, host)
        socket.once('connect', () => resolve('connected')).once('error', () => resolve('refused'))
        socket.once('connect', () => socket.destroy())
      })
    expect(await connect('127.0.0.1')).toBe('connected')
    expect(await connect('127.0.0.2')).toBe('refused')
  })

  it('can be changed while sessions go on', async () => {
    await using test = await startGateway()
    await test.open()
    await test.open()
    await test.run()
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    }
    const headers = { 'content-type': 'application/json' }
    const first = await fetch(`${test.origin}/mcp`, { method: 'POST', headers, body: JSON.stringify(initialize) })
    const session = first.headers.get('mcp-session-id') ?? ''
    await first.text()
    const port = await freePort()
    await test.open({ port })
    const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })
    const moved = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: { ...headers, 'mcp-session-id': session },
      body,
    })
    expect(await moved.json()).toMatchObject({ id: 2, result: {} })
    expect(await test.gateway.isPortFree('127.0.0.1', test.port)).toBe(true)
  })

  it('refuses callers whose connection is not allowed', async () => {
    await using test = await startGateway({ allowPeer: () => false })
    await test.open()
    expect((await fetch(`${test.origin}/health`)).status).toBe(403)
  })

  it('answers to a configured name', async () => {
    await using test = await startGateway({ allowedHosts: () => ['tools.example.org'] })
    await test.open()
    const response = await fetch(`${test.origin}/health`, { headers: { origin: 'https://tools.example.org' } })
    expect(await response.json()).toEqual({ status: 'healthy', server: 'away' })
  })
})

describe('the tools filter', () => {
  it('rules lists and calls alike, and can change in place', async () => {
    await using test = await startGateway()
    await test.open({ toolsFilter: ['echo', 'absent'] })
    await test.run()
    for (const kind of ['v1 http', 'v2 sse'] as const) {
      const client = await connectClient(test, kind)
      expect(await client.tools()).toEqual(['echo'])
      expect(await client.call('echo', { text: 'allowed' })).toBe('allowed')
      await expect(client.call('env')).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringContaining('Unknown tool: env'),
      })
    }
    const client = await connectClient(test, 'v1 http')
    await test.open({ toolsFilter: ['add'] })
    expect(await client.tools()).toEqual(['add'])
    await test.open({ toolsFilter: [] })
    expect((await client.tools()).length).toBeGreaterThan(5)
  })
})

describe('limits', () => {
  it('make the longest idle session go when the endpoint is full', async () => {
    await using test = await startGateway({ limits: { maxSessions: 2 } })
    await test.open()
    await test.run()
    const ids: string[] = []
    const post = (body: object, headers: Record<string, string> = {}) =>
      fetch(`${test.origin}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
      })
    for (let i = 0; i < 3; i++) {
      const response = await post({
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      })
      ids.push(response.headers.get('mcp-session-id') ?? '')
      await response.text()
    }
    const statuses = await Promise.all(
      ids.map(async (id) => (await post({ method: 'ping' }, { 'mcp-session-id': id })).status),
    )
    expect(statuses).toEqual([404, 200, 200])
  })

  it('end idle sessions', async () => {
    await using test = await startGateway({ limits: { idleMs: 20, keepAliveMs: 10 } })
    await test.open()
    await test.run()
    const client = await connectClient(test, 'v1 sse')
    const response = await fetch(`${test.origin}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {} },
      }),
    })
    const headers = { accept: 'text/event-stream', 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' }
    await response.text()
    // Each look would itself count as use, so look once, when the other client shows that enough time has passed for
    // the sweep.
    expect(await client.call('sleep', { ms: 500, text: 'slept' })).toBe('slept')
    expect((await fetch(`${test.origin}/mcp`, { headers })).status).toBe(404)
  })

  it('cut off a client that does not read, and nobody else', async () => {
    await using test = await startGateway({ limits: { maxQueuedBytes: 3_000_000 } })
    await test.open()
    await test.run()
    const good = await connectClient(test, 'v1 http')
    const lazy = createConnection(test.port, '127.0.0.1')
    const ended = new Promise((resolve) => lazy.once('close', resolve))
    lazy.on('error', () => {})
    const endpoint = await new Promise<string>((resolve) => {
      let seen = ''
      lazy.on('data', (data) => {
        seen += data.toString()
        const endpoint = /data: (\S+)\n/.exec(seen)?.[1]
        if (endpoint !== undefined) resolve(endpoint)
      })
      lazy.write('GET /sse HTTP/1.1\r\nhost: localhost\r\n\r\n')
    })
    lazy.pause()
    for (let id = 0; id < 12; id++) {
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'blob', arguments: { bytes: 2_000_000 } },
      })
      await fetch(test.origin + endpoint, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    }
    await expect
      .poll(
        async () =>
          (
            await fetch(test.origin + endpoint, {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: '{}',
            })
          ).status,
        { timeout: 30_000 },
      )
      .toBe(404)
    expect(await good.call('echo', { text: 'fine' })).toBe('fine')
    lazy.resume()
    await ended
    expect(test.lost).toEqual([])
  })
})

it('an endpoint that was never opened is not found', async () => {
  await using test = await startGateway()
  await expect(test.run()).rejects.toMatchObject({ code: 'not-found' })
  await test.gateway.close(NAME)
})
