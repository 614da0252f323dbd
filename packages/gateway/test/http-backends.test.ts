import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, createServer as createRelay } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort } from '@toolhaven/testing/free-port'
import { startHttpServer } from '@toolhaven/testing/mcp-servers/child-channel'
import { messagesOf } from './support/events.ts'
import { CLIENTS, connectClient, memoryStore, NAME, never, startGateway, type TestGateway } from './support/gateway.ts'

const TRANSPORTS = ['streamable-http', 'sse'] as const

async function serve(test: TestGateway, transport: 'sse' | 'streamable-http', args: string[] = [], processId = 'one') {
  const server = await startHttpServer(transport, args)
  test.defer(() => server.kill())
  const handshake = await test.gateway.connect(NAME, { kind: 'http', transport, url: server.url, processId }, never)
  return { ...server, handshake }
}

describe('a port where nobody listens', () => {
  it('is reported at once for a remote server, and waited for where the server is ours', async () => {
    await using test = await startGateway()
    await test.open({ transport: 'streamable-http' })
    const url = `http://127.0.0.1:${await freePort()}/mcp`
    const backend = { kind: 'http', transport: 'streamable-http', url, processId: 'p' } as const
    await expect(test.gateway.connect(NAME, { ...backend, isRemote: true }, never)).rejects.toThrow(
      /nothing listens at that address \(.*ECONNREFUSED/,
    )
    const stop = new AbortController()
    const ours = test.gateway.connect(NAME, backend, stop.signal).then(
      () => 'connected',
      () => 'given up',
    )
    const remote = test.gateway.connect(NAME, { ...backend, isRemote: true }, never).catch(() => undefined)
    expect(await Promise.race([ours, remote])).toBeUndefined()
    stop.abort()
    await ours
  })
})

describe('a remote server', () => {
  const answers = [
    { what: 'has nothing there', status: 404, type: 'text/plain', told: /status 404.*\/mcp or \/sse/ },
    {
      what: 'answers with a web page',
      status: 200,
      type: 'text/html; charset=utf-8',
      told: /a web page.*\/mcp or \/sse/,
    },
  ]
  const cases = TRANSPORTS.flatMap((transport) => answers.map((answer) => ({ transport, ...answer })))

  it.each(cases)('of transport $transport that $what is told once', async ({ transport, status, type, told }) => {
    await using test = await startGateway()
    await test.open({ transport })
    let asked = 0
    const server = createServer((_request, response) => {
      asked += 1
      response.writeHead(status, { 'content-type': type }).end('<p>Hello</p>')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    test.defer(() => server.close())
    const url = `http://127.0.0.1:${Object(server.address()).port}/there`
    const failed = test.gateway.connect(NAME, { kind: 'http', transport, url, isRemote: true, processId: 'p' }, never)
    await expect(failed).rejects.toThrow(told)
    expect(asked).toBeLessThanOrEqual(2)
  })

  it('that takes the connection and stays silent is given up', async () => {
    await using test = await startGateway({ limits: { remoteMs: 1000, probeMs: 300 } })
    await test.open({ transport: 'streamable-http' })
    const server = createServer(() => {})
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    test.defer(() => server.closeAllConnections())
    test.defer(() => server.close())
    const url = `http://127.0.0.1:${Object(server.address()).port}/mcp`
    const backend = { kind: 'http', transport: 'streamable-http', url, isRemote: true, processId: 'p' } as const
    await expect(test.gateway.connect(NAME, backend, never)).rejects.toThrow(`${url} did not answer within 1 s`)
  })
})

describe('a server behind a unix socket', () => {
  it('is reached there, whatever its address says', async () => {
    await using test = await startGateway()
    await test.open({ transport: 'streamable-http' })
    const server = await startHttpServer('streamable-http', [])
    test.defer(() => server.kill())
    const folder = await mkdtemp(join(tmpdir(), 'thv-gs-'))
    test.defer(() => rm(folder, { recursive: true }))
    const { port, hostname: host } = new URL(server.url)
    const relay = createRelay((socket) => void socket.pipe(connect({ host, port: Number(port) })).pipe(socket))
    await new Promise<void>((resolve) => relay.listen(join(folder, 's'), resolve))
    test.defer(() => relay.close())
    const backend = {
      kind: 'http',
      transport: 'streamable-http',
      url: `http://127.0.0.1:${await freePort()}/mcp`,
      processId: 'p',
    } as const
    const connected = test.gateway.connect(NAME, { ...backend, socketPath: join(folder, 's') }, never)
    expect(await connected).toMatchObject({ serverName: 'fixture' })
    // A link in its place would lead to any socket of the machine that it names.
    await symlink(join(folder, 's'), join(folder, 'link'))
    await expect(
      test.gateway.connect(NAME, { ...backend, socketPath: join(folder, 'link') }, AbortSignal.timeout(500)),
    ).rejects.toThrow('is not a socket')
  })
})

describe.each(TRANSPORTS)('a server that speaks %s', (transport) => {
  it.each(CLIENTS)('serves the client %s', async (kind) => {
    await using test = await startGateway()
    await test.open({ transport })
    const { handshake } = await serve(test, transport)
    expect(handshake).toMatchObject({ serverName: 'fixture', serverVersion: '1.2.3' })
    const client = await connectClient(test, kind, (method) => `mine:${method}`)
    expect(await client.tools()).toContain('echo')
    expect(await client.call('blob', { bytes: 2_000_000 })).toHaveLength(2_000_000)
    expect(await client.call('size', { text: 'y'.repeat(2_000_000) })).toBe('2000000')
    const seen: number[] = []
    // Held back: the SDK forgets the listener as soon as it has the answer.
    const call = client.call(
      'progress',
      { steps: 5, text: 'p', hold: true },
      { onprogress: ({ progress }) => seen.push(progress) },
    )
    await expect.poll(() => seen, { timeout: 20_000 }).toEqual([1, 2, 3, 4, 5])
    await client.call('release')
    expect(await call).toBe('p')
    expect(await client.call('sample', { text: 'q' })).toContain('mine:sampling')
    expect(await client.call('elicit', { text: 'q' })).toContain('mine:elicitation')
    const wanted = Array.from({ length: 50 }, (_, i) => `text ${i}`)
    expect(await Promise.all(wanted.map((text) => client.call('echo', { text })))).toEqual(wanted)
    await test.gateway.ping(NAME, never)
  })

  it('has its progress told before the answer, in the same place', async () => {
    await using test = await startGateway()
    await test.open({ transport })
    await serve(test, transport)
    const post = (body: object, headers: Record<string, string> = {}) =>
      fetch(`${test.origin}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
      })
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '0' } }
    const opened = await post({ method: 'initialize', params: hello })
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    const params = { name: 'progress', arguments: { steps: 3, text: 'p' }, _meta: { progressToken: 't' } }
    const told: unknown[] = []
    for await (const message of messagesOf(await post({ method: 'tools/call', params }, session))) told.push(message)
    const steps = [1, 2, 3].map((progress) => ({ params: { progressToken: 't', progress } }))
    expect(told).toMatchObject([...steps, { id: 1, result: { content: [{ text: 'p' }] } }])
  })

  it('keeps its clients apart', async () => {
    await using test = await startGateway()
    await test.open({ transport })
    await serve(test, transport)
    const clients = await Promise.all(
      ['a', 'b', 'c'].map((name) => connectClient(test, 'v1 http', () => `answer of ${name}`)),
    )
    const answers = await Promise.all(
      clients.flatMap((client) => [client.call('sample', { text: 'q' }), client.call('sample', { text: 'q' })]),
    )
    const names = answers.map((answer) => /answer of (\w)/.exec(answer)?.[1])
    expect(names).toEqual(['a', 'a', 'b', 'b', 'c', 'c'])
  })

  it('may be restarted without its clients noticing', async () => {
    await using test = await startGateway()
    await test.open({ transport })
    const first = await serve(test, transport)
    const clients = await Promise.all(CLIENTS.map((kind) => connectClient(test, kind, () => 'mine')))
    const before = await clients[0]?.call('pid')
    await first.kill()
    await serve(test, transport, [], 'two')
    for (const client of clients) expect(await client.call('sample', { text: 'q' })).toContain('mine')
    expect(await clients[0]?.call('pid')).not.toBe(before)
    // Over HTTP+SSE each request of a stateless client has its own session: the list of tools and the call.
    const ofRequests = transport === 'sse' ? 2 : 0
    expect(JSON.parse((await clients[0]?.call('stats')) ?? '')).toMatchObject({
      initialized: CLIENTS.length + 1 + ofRequests,
    })
  })

  it('that comes back at the same address on its own is used again', async () => {
    await using test = await startGateway()
    await test.open({ transport })
    const port = await freePort()
    const first = await serve(test, transport, [`--port=${port}`])
    const client = await connectClient(test, 'v1 http')
    await first.kill()
    const call = client.call('echo', { text: 'back' }).catch(() => client.call('echo', { text: 'back' }))
    const second = await startHttpServer(transport, [`--port=${port}`])
    test.defer(() => second.kill())
    expect(await call).toBe('back')
    expect(test.lost.length).toBeGreaterThan(0)
  })

  it('that dies in the middle of a call gives one error to its callers', async () => {
    await using test = await startGateway({ limits: { backendWaitMs: 100 } })
    await test.open({ transport })
    await serve(test, transport)
    const [a, b] = [await connectClient(test, 'v1 http'), await connectClient(test, 'v2 sse')]
    const outcomes = await Promise.allSettled([b.call('sleep', { ms: 60_000 }), a.call('crash')])
    expect(outcomes).toMatchObject([{ reason: { code: -32_000 } }, { reason: { code: -32_000 } }])
    await expect(test.gateway.ping(NAME, AbortSignal.timeout(5000))).rejects.toThrow()
  })

  it('obeys the tools filter', async () => {
    await using test = await startGateway()
    await test.open({ transport, toolsFilter: ['echo'] })
    await serve(test, transport)
    for (const kind of CLIENTS) {
      const client = await connectClient(test, kind)
      expect(await client.tools()).toEqual(['echo'])
      await expect(client.call('env')).rejects.toMatchObject({ code: -32_602 })
    }
  })

  it('is waited for until it listens', async () => {
    await using test = await startGateway()
    await test.open({ transport })
    const port = await freePort()
    const path = transport === 'sse' ? '/sse' : '/mcp'
    const connecting = test.gateway.connect(
      NAME,
      { kind: 'http', transport, url: `http://127.0.0.1:${port}${path}`, processId: 'p' },
      never,
    )
    const server = await startHttpServer(transport, [`--port=${port}`])
    test.defer(() => server.kill())
    expect(await connecting).toMatchObject({ serverName: 'fixture' })
  })

  it('that never listens is given up with the signal', async () => {
    await using test = await startGateway()
    await test.open({ transport })
    const url = `http://127.0.0.1:${await freePort()}/mcp`
    const connecting = test.gateway.connect(
      NAME,
      { kind: 'http', transport, url, processId: 'p' },
      AbortSignal.timeout(200),
    )
    await expect(connecting).rejects.toMatchObject({ code: 'unavailable' })
  })
})

it('after a restart of the daemon a client goes on in the same session at the server', async () => {
  const sessionStore = memoryStore()
  const before = await startGateway({ sessionStore })
  await before.open({ transport: 'streamable-http' })
  const { url } = await serve(before, 'streamable-http')
  const client = await connectClient(before, 'v1 http')
  await client.call('echo', { text: '1' })
  await before.gateway.shutdown(1000)
  await using after = await startGateway({ sessionStore }, before.port)
  after.defer(() => before[Symbol.asyncDispose]())
  await after.open({ transport: 'streamable-http' })
  await after.gateway.connect(NAME, { kind: 'http', transport: 'streamable-http', url, processId: 'one' }, never)
  await expect.poll(() => client.call('echo', { text: '2' }).catch(() => 'lost')).toBe('2')
  // Two handshakes of the gateway itself and one of the client.
  expect(JSON.parse(await client.call('stats'))).toMatchObject({ initialized: 3 })
})

describe('towards an HTTP server', () => {
  it('only end-to-end headers are passed on, never a token, configured ones win, and its want of a login is not the client’s', async () => {
    const seen: IncomingMessage['headers'][] = []
    const server = createServer((request, response) => {
      seen.push(request.headers)
      const isOurs = request.headers['x-client'] === undefined
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } }
      if (isOurs)
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id: 0, result }))
      else response.writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="http://x"' }).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    await using test = await startGateway()
    test.defer(() => server.close())
    await test.open({ transport: 'streamable-http' })
    await test.gateway.connect(
      NAME,
      {
        kind: 'http',
        transport: 'streamable-http',
        url: `http://127.0.0.1:${port}/deep/path?x=1`,
        headers: { 'x-key': 'configured', 'X-Tenant': 'fixed' },
        processId: 'p',
      },
      never,
    )
    const response = await fetch(`${test.origin}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-client': 'yes',
        'x-key': 'from the client',
        'x-tenant': 'of the client',
        x_tenant: 'of the client',
        ...Object.fromEntries(CLAIMS.map((name) => [name, 'a claim'])),
        authorization: 'Bearer of-the-client',
        cookie: 'a=b',
        origin: 'http://localhost',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {} },
      }),
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('www-authenticate')).toBeNull()
    expect(await response.json()).toMatchObject({ id: 1, error: { message: expect.stringContaining('credentials') } })
    expect(seen.at(-1)).toMatchObject({ host: `127.0.0.1:${port}`, 'x-client': 'yes', 'x-key': 'configured' })
    // As it was sent: two under one name would be joined here.
    expect(seen.at(-1)).toMatchObject({ 'x-tenant': 'fixed' })
    for (const name of ['authorization', 'cookie', 'origin', 'mcp-session-id', 'x_tenant', ...CLAIMS])
      expect(seen.at(-1)).not.toHaveProperty(name)
  })

  it('an address of another origin for messages is not used', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('event: endpoint\ndata: http://127.0.0.2:9/steal\n\n')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    await using test = await startGateway()
    test.defer(() => server.closeAllConnections())
    test.defer(() => server.close())
    await test.open({ transport: 'sse' })
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/sse`
    const connecting = test.gateway.connect(
      NAME,
      { kind: 'http', transport: 'sse', url, processId: 'p' },
      AbortSignal.timeout(300),
    )
    await expect(connecting).rejects.toMatchObject({ code: 'unavailable' })
  })
})

/** What a proxy in front of the server would say about the caller and the request. */
const CLAIMS = [
  'forwarded',
  'x-forwarded-for',
  'x_forwarded_for',
  'x-forwarded-host',
  'x-real-ip',
  'x_real_ip',
  'x-original-url',
  'x-rewrite-url',
  'x-http-method-override',
  'true-client-ip',
  'x-remote-user',
]
