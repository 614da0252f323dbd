import { describe, expect, it } from 'vitest'
import { startGateway, type TestGateway } from './support/gateway.ts'
import { postModern } from './support/modern-post.ts'
import { DISCOVERED } from './support/scripted-server.ts'
import { INITIALIZED, startSseServer, type SseScript } from './support/sse-server.ts'

/** Slowness under load is not silence. */
const PATIENT = { limits: { sseProbeMs: 60_000 } }
const LISTED = { result: { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' } }
const DONE = { result: { resultType: 'complete', content: [] } }

/** A stateless server behind a stream. `script` answers what follows the greeting. */
async function connectModern(test: TestGateway, script: SseScript) {
  await test.open({ transport: 'sse' })
  const server = await startSseServer(test, (message, stream) => {
    if (message['method'] === 'server/discover') return DISCOVERED
    return message['method'] === 'tools/list' ? LISTED : script(message, stream)
  })
  const calls = () => server.heard.filter(({ method }) => method === 'tools/call')
  return { ...server, calls, handshake: await server.connect() }
}

const call = (test: TestGateway, headers: Record<string, string> = {}) =>
  postModern(test, 'tools/call', { name: 'any', arguments: {} }, { headers })

describe('a server of the HTTP+SSE transport is first asked with server/discover', () => {
  it('and one that answers it is spoken to without sessions, on that stream', async () => {
    await using test = await startGateway(PATIENT)
    const server = await connectModern(test, () => DONE)
    expect(server.handshake).toMatchObject({ serverName: 'new', protocolVersion: '2026-07-28' })
    for (const _client of [1, 2]) expect(await (await call(test)).json()).toMatchObject(DONE)
    expect(server.calls()).toHaveLength(2)
    expect(server.heard.map(({ method }) => method)).not.toContain('initialize')
    expect(server.streams).toHaveLength(1)
  })

  it.each<[string, ReturnType<SseScript>]>([
    ['does not know it', { error: { code: -32_601, message: 'no' } }],
    ['says nothing', undefined],
    ['refuses it', 400],
    ['ends the stream', 'ends'],
  ])('and one that %s gets initialize on another', async (_what, outcome) => {
    // The test has to wait only for silence, and not for long.
    await using test = await startGateway(outcome === undefined ? {} : PATIENT)
    await test.open({ transport: 'sse' })
    const server = await startSseServer(test, ({ method }) =>
      method === 'initialize' ? INITIALIZED : method === 'server/discover' ? outcome : undefined,
    )
    expect(await server.connect()).toMatchObject({ serverName: 'old' })
    const methods = server.heard.map(({ method }) => method)
    expect(methods).toEqual(['server/discover', 'initialize', 'notifications/initialized'])
    await expect.poll(() => server.streams.map(({ destroyed }) => destroyed)).toEqual([true, false])
  })

  it.each<[string, ReturnType<SseScript>]>([
    ['refuses initialize', { error: { code: -32_601, message: 'no' } }],
    ['takes initialize too', INITIALIZED],
  ])('and one that answers late and %s is spoken to without sessions', async (_what, outcome) => {
    await using test = await startGateway({ limits: { sseProbeMs: 20 } })
    await test.open({ transport: 'sse' })
    const isAskedTwice = Promise.withResolvers<void>()
    const server = await startSseServer(test, ({ method }) => {
      if (method === 'server/discover') return isAskedTwice.promise.then(() => DISCOVERED)
      if (method === 'initialize') isAskedTwice.resolve()
      return method === 'initialize' ? outcome : method === 'tools/list' ? LISTED : DONE
    })
    expect(await server.connect()).toMatchObject({ serverName: 'new', protocolVersion: '2026-07-28' })
    expect(await (await call(test)).json()).toMatchObject(DONE)
    const methods = server.heard.map(({ method }) => method)
    expect(methods.slice(0, 2)).toEqual(['server/discover', 'initialize'])
    expect(methods.filter((method) => method === 'server/discover')).toHaveLength(1)
    await expect.poll(() => server.streams.map(({ destroyed }) => destroyed)).toEqual([false, true])
  })

  it('and one that wants a login is not taken for one of the older era', async () => {
    await using test = await startGateway(PATIENT)
    await test.open({ transport: 'sse' })
    const server = await startSseServer(test, () => 401)
    await expect(server.connect()).rejects.toThrow('status 401')
    expect(server.heard.map(({ method }) => method)).toEqual(['server/discover'])
  })
})

describe('a server without sessions behind a stream', () => {
  it('gets what a client says in headers with the request of that client', async () => {
    await using test = await startGateway(PATIENT)
    const server = await connectModern(test, () => DONE)
    await call(test, { 'x-trace': 'one' })
    await call(test, { 'x-trace': 'two' })
    expect(server.calls().map(({ headers }) => headers['x-trace'])).toEqual(['one', 'two'])
    // The body may have changed.
    for (const { headers } of server.heard) expect(Object.keys(headers).join(' ')).not.toContain('mcp-')
  })

  it('that refuses one request has refused no other', async () => {
    await using test = await startGateway(PATIENT)
    const server = await connectModern(test, ({ headers }) => (headers['x-trace'] === 'bad' ? 413 : DONE))
    const refused: unknown = await (await call(test, { 'x-trace': 'bad' })).json()
    expect(refused).toMatchObject({ error: { message: expect.stringContaining('status 413') } })
    expect(await (await call(test)).json()).toMatchObject(DONE)
    expect(test.lost).toEqual([])
    expect(server.streams).toHaveLength(1)
  })

  it('whose answer is nested too deeply fails that call', async () => {
    await using test = await startGateway(PATIENT)
    const deep: unknown = JSON.parse('['.repeat(500) + ']'.repeat(500))
    await connectModern(test, () => ({ result: { resultType: 'complete', content: deep } }))
    const refused: unknown = await (await call(test)).json()
    expect(refused).toMatchObject({ error: { message: expect.stringContaining('nested more than 400 levels') } })
    expect(test.lost).toEqual([])
  })

  it('whose answer is too large for the gateway has answered the others', async () => {
    await using test = await startGateway({ limits: { ...PATIENT.limits, maxMessageBytes: 20_000 } })
    const large = { result: { resultType: 'complete', content: [{ type: 'text', text: 'x'.repeat(100_000) }] } }
    const server = await connectModern(test, ({ headers }) => {
      if (headers['x-trace'] === 'large') return large
      return headers['x-trace'] === 'waiting' ? undefined : DONE
    })
    const waiting = call(test, { 'x-trace': 'waiting' })
    await expect.poll(() => server.calls().length).toBe(1)
    const refused: unknown = await (await call(test, { 'x-trace': 'large' })).json()
    expect(refused).toMatchObject({ error: { message: expect.stringContaining('over the limit of 20000 bytes') } })
    expect(await (await call(test)).json()).toMatchObject(DONE)
    const id = server.calls()[0]?.['id']
    server.streams[0]?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, ...DONE })}\n\n`)
    expect(await (await waiting).json()).toMatchObject(DONE)
    expect(test.lost).toEqual([])
  })

  it('that forgot its stream gets the call again on another, and what waited there is told so', async () => {
    await using test = await startGateway(PATIENT)
    const server = await connectModern(test, ({ headers }, stream) => {
      if (headers['x-trace'] === 'waiting') return undefined
      return stream === server.streams[0] ? 404 : DONE
    })
    const waiting = call(test, { 'x-trace': 'waiting' })
    await expect.poll(() => server.calls().length).toBe(1)
    expect(await (await call(test, { 'x-trace': 'mine' })).json()).toMatchObject(DONE)
    expect(await (await waiting).json()).toMatchObject({ error: { code: -32_000 } })
    expect(test.lost).toEqual([])
    expect(server.openings.map((headers) => headers['x-trace'])).toEqual([undefined, undefined])
    await expect.poll(() => server.streams.map(({ destroyed }) => destroyed)).toEqual([true, false])
  })

  it('that forgot its stream gets all calls that it refused for that again', async () => {
    await using test = await startGateway(PATIENT)
    const refused = Promise.withResolvers<void>()
    const server = await connectModern(test, ({ headers }, stream) => {
      if (stream !== server.streams[0]) {
        refused.resolve()
        return DONE
      }
      // The second refusal arrives when the first call is already on the next stream.
      return headers['x-trace'] === 'second' ? refused.promise.then(() => 404) : 404
    })
    const second = call(test, { 'x-trace': 'second' })
    await expect.poll(() => server.calls().length).toBe(1)
    const answers = await Promise.all([second, call(test, { 'x-trace': 'first' })])
    for (const answer of answers) expect(await answer.json()).toMatchObject(DONE)
  })

  it('that takes a call on a stream which is left by then leaves its client with an error, not waiting', async () => {
    await using test = await startGateway(PATIENT)
    const isLeft = Promise.withResolvers<undefined>()
    const server = await connectModern(test, ({ headers }, stream) => {
      if (headers['x-trace'] === 'slow') return isLeft.promise
      return stream === server.streams[0] ? 404 : DONE
    })
    const slow = call(test, { 'x-trace': 'slow' })
    await expect.poll(() => server.calls().length).toBe(1)
    expect(await (await call(test)).json()).toMatchObject(DONE)
    isLeft.resolve(undefined)
    const message = expect.stringContaining('may have carried out the call')
    expect(await (await slow).json()).toMatchObject({ error: { message } })
  })

  it('that closed its stream answers every call with an error, is reported as lost, and serves the next', async () => {
    await using test = await startGateway(PATIENT)
    const server = await connectModern(test, ({ headers }) => {
      if (headers['x-trace'] === 'last') return 'ends'
      return headers['x-trace'] === 'waiting' ? undefined : DONE
    })
    const waiting = call(test, { 'x-trace': 'waiting' })
    await expect.poll(() => server.calls().length).toBe(1)
    const both = await Promise.all([waiting, call(test, { 'x-trace': 'last' })])
    for (const response of both) expect(await response.json()).toMatchObject({ error: { code: -32_000 } })
    expect(test.lost).toHaveLength(1)
    expect(await (await call(test)).json()).toMatchObject(DONE)
  })
})

it('a server with sessions is as talkative in a call as its client without one wants', async () => {
  await using test = await startGateway(PATIENT)
  await test.open({ transport: 'sse' })
  const levels = new WeakMap<object, unknown>()
  const { result } = INITIALIZED
  const capabilities = { ...result.capabilities, logging: {} }
  const server = await startSseServer(test, ({ id, method, params }, stream) => {
    if (method === 'server/discover') return { error: { code: -32_601, message: 'unknown' } }
    if (method === 'initialize') return { result: { ...result, capabilities } }
    if (method === 'tools/list') return { result: { tools: [] } }
    if (method === 'logging/setLevel') levels.set(stream, params)
    if (method === 'tools/call') return { result: { content: [], structuredContent: levels.get(stream) ?? {} } }
    return id === undefined ? undefined : { result: {} }
  })
  await server.connect()
  const meta = {
    'io.modelcontextprotocol/logLevel': 'debug',
    'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
  }
  const answer = await postModern(test, 'tools/call', { name: 'any', arguments: {} }, { meta })
  expect(await answer.text()).toContain('"structuredContent":{"level":"debug"}')
})
