import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { startModernServer } from '@toolhaven/testing/mcp-servers/child-channel'
import { messagesOf } from './support/events.ts'
import { connectClient, NAME, never, startGateway, type TestGateway } from './support/gateway.ts'
import { postModern } from './support/modern-post.ts'
import { openSession } from './support/raw-server.ts'
import { connectScripted } from './support/scripted-server.ts'
import { startSessionServer } from './support/session-server.ts'

type Json = { [key: string]: unknown }

/** A process of the older era that answers each method with `answers`, and what it heard. */
async function scripted(test: TestGateway, answers: Record<string, Json>): Promise<Json[]> {
  await test.open()
  const { heard } = await connectScripted(test, ({ method }) => ({ result: answers[String(method)] ?? {} }))
  return heard
}

it('one address serves clients with sessions and clients without, at the same time', async () => {
  await using test = await startGateway()
  await test.open()
  await test.run()
  const [older, newer] = await Promise.all([connectClient(test, 'v1 http'), connectClient(test, 'v2 modern')])
  const text = (client: typeof older) => client.call('echo', { text: 'same' })
  expect(await Promise.all([text(older), text(newer), text(older), text(newer)])).toEqual(Array(4).fill('same'))
})

it('parameters in headers that nobody here knows are passed on', async () => {
  await using server = await startModernServer().then(({ url, kill }) => ({ url, [Symbol.asyncDispose]: kill }))
  await using test = await startGateway({ limits: { probeMs: 50_000 } })
  await test.open({ transport: 'streamable-http' })
  const backend = { kind: 'http', transport: 'streamable-http', url: server.url, processId: 'p' } as const
  await test.gateway.connect(NAME, backend, never)
  const sent = { 'Mcp-Param-Elsewhere': '=?base64?w7w=?=', 'X-Of-The-Client': 'kept' }
  const { result } = await (
    await postModern(test, 'tools/call', { name: 'headers', arguments: {} }, { headers: sent })
  ).json()
  const seen = JSON.parse(result.content[0].text)
  expect(seen).toMatchObject({ 'mcp-param-elsewhere': '=?base64?w7w=?=', 'x-of-the-client': 'kept' })
})

describe('headers that say something else than the body', () => {
  /** The gateway itself makes some of these, for servers that expect them. */
  const OF_THE_PROTOCOL = { 'mcp-method': 'evil/method', 'mcp-name': 'other', 'mcp-param-region': 'eu' }
  const OF_HTTP = {
    ...{ 'content-encoding': 'gzip', 'content-range': 'bytes 0-1/2', 'content-digest': 'sha-256=:AA==:' },
    ...{ range: 'bytes=0-1', 'if-none-match': '*', 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' },
    ...{ mcp_method: 'evil/method', mcp_name: 'other', mcp_param_region: 'eu', content_encoding: 'gzip' },
  }
  const LIES = /^(mcp_|content[-_][der]|range|if-)/
  const KEPT = { 'x-of-the-client': 'kept' }
  const CALL = { name: 'headers', arguments: {} }

  /** The headers with which a call of a client of this era arrives at this server. */
  async function headersOf(test: TestGateway, era: 'legacy' | 'modern', seen: (result: Json) => Json): Promise<Json> {
    if (era === 'modern') {
      // Its other headers are checked against the body first.
      const headers = { ...OF_HTTP, ...KEPT, 'mcp-param-region': 'eu' }
      const { result } = await (await postModern(test, 'tools/call', CALL, { headers })).json()
      return seen(result)
    }
    const post = await openSession(test)
    const headers = { ...post.headers, ...OF_THE_PROTOCOL, ...OF_HTTP, ...KEPT }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: CALL })
    const { result } = await (await fetch(`${test.origin}/mcp`, { method: 'POST', headers, body })).json()
    return seen(result)
  }

  it.each(['legacy', 'modern'] as const)('of a %s client do not reach a server with sessions', async (era) => {
    await using test = await startGateway()
    await test.open({ transport: 'streamable-http' })
    const server = await startSessionServer(test, () => ({ result: { content: [], tools: [] } }))
    await server.connect()
    const at = () => server.heard.findIndex(({ method }) => method === 'tools/call')
    const seen = await headersOf(test, era, () => ({ ...server.heads[at()] }))
    expect(seen).toMatchObject(KEPT)
    expect(Object.keys(seen).filter((name) => /^mcp[-_](method|name|param)/.test(name) || LIES.test(name))).toEqual([])
  })

  it.each(['legacy', 'modern'] as const)('of a %s client do not reach a server without sessions', async (era) => {
    await using server = await startModernServer().then(({ url, kill }) => ({ url, [Symbol.asyncDispose]: kill }))
    await using test = await startGateway({ limits: { probeMs: 50_000 } })
    await test.open({ transport: 'streamable-http' })
    const backend = { kind: 'http', transport: 'streamable-http', url: server.url, processId: 'p' } as const
    await test.gateway.connect(NAME, backend, never)
    const seen = await headersOf(test, era, (result) => {
      const [{ text }] = z.tuple([z.object({ text: z.string() })]).parse(result['content'])
      return z.looseObject({}).parse(JSON.parse(text))
    })
    expect(seen).toMatchObject({ ...KEPT, 'mcp-method': 'tools/call', 'mcp-name': 'headers' })
    expect(Object.keys(seen).filter((name) => LIES.test(name))).toEqual([])
    // A parameter that no tool here marks belongs to somebody else and must be passed on.
    expect('mcp-param-region' in seen).toBe(era === 'modern')
  })
})

describe('a tool with an invalid mark for headers', () => {
  const property = (value: Json) => ({ type: 'object', properties: { a: value } })
  const marked = { type: 'string', 'x-mcp-header': 'Region' }
  const TOOLS: Record<string, Json> = {
    plain: { type: 'object' },
    right: property(marked),
    'no header name': property({ type: 'string', 'x-mcp-header': 'two words' }),
    'an object': property({ type: 'object', 'x-mcp-header': 'Region' }),
    twice: { type: 'object', properties: { a: marked, b: { ...marked, 'x-mcp-header': 'REGION' } } },
    'in a list': property({ type: 'array', items: marked }),
  }

  it('is not shown, the others are, and the log says why, once', async () => {
    const logged: unknown[] = []
    const quiet = () => {}
    const logger = {
      debug: quiet,
      info: quiet,
      error: quiet,
      warn: (_message: string, fields?: object) => logged.push(fields),
    }
    await using test = await startGateway({ logger })
    const tools = Object.entries(TOOLS).map(([name, inputSchema]) => ({ name, inputSchema }))
    await scripted(test, { 'tools/list': { tools } })
    for (let turn = 0; turn < 2; turn++) {
      const { result } = await (await postModern(test, 'tools/list')).json()
      expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(['plain', 'right'])
    }
    expect(logged).toEqual(
      Object.keys(TOOLS)
        .slice(2)
        .map((tool) => expect.objectContaining({ workload: NAME, tool, why: expect.stringContaining('x-mcp-header') })),
    )
  })
})

it('a subscription is acknowledged first, is not buffered on its way, and is kept alive by comments', async () => {
  await using test = await startGateway({ limits: { keepAliveMs: 10 } })
  await test.open()
  await test.run()
  const response = await postModern(test, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  const [events, raw] = response.body?.tee() ?? []
  const first = await messagesOf(new Response(events)).next()
  expect(first.value).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
  let text = ''
  for await (const chunk of raw?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (text.includes('\n\n: \n\n')) break
  }
  expect(text).toMatch(/^event: message\ndata: \{.*\}\n\n(: \n\n)+$/)
})

describe('how long an answer may be kept', () => {
  it.each([
    ['server/discover', {}],
    ['tools/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['prompts/list', {}],
    ['resources/read', { uri: 'memo://a' }],
  ])('is said with %s: not at all, and by its asker alone, where the server has no say', async (method, params) => {
    await using test = await startGateway()
    await scripted(test, {
      'tools/list': { tools: [] },
      'resources/list': { resources: [] },
      'resources/templates/list': { resourceTemplates: [] },
      'prompts/list': { prompts: [] },
      'resources/read': { contents: [] },
    })
    const { result } = await (await postModern(test, method, params)).json()
    expect(result).toMatchObject({ ttlMs: 0, cacheScope: 'private', resultType: 'complete' })
  })

  it('is left to clients: each request reaches the server', async () => {
    await using test = await startGateway()
    const heard = await scripted(test, { 'tools/list': { tools: [], ttlMs: 60_000, cacheScope: 'public' } })
    const before = heard.filter(({ method }) => method === 'tools/list').length
    for (let turn = 0; turn < 3; turn++) await (await postModern(test, 'tools/list')).text()
    expect(heard.filter(({ method }) => method === 'tools/list').length - before).toBe(3)
  })
})

it('what a revision without sessions has no use for is ignored', async () => {
  await using test = await startGateway()
  await test.open()
  await test.run()
  const headers = { 'mcp-session-id': 'of long ago', 'last-event-id': '000000000000-1-1' }
  const response = await postModern(test, 'tools/call', { name: 'echo', arguments: { text: 'x' } }, { headers })
  expect(response.headers.get('mcp-session-id')).toBeNull()
  expect(await response.json()).toMatchObject({ result: { content: [{ text: 'x' }] } })
})

describe('the trace of a client', () => {
  const TRACE = {
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    tracestate: 'a=1,b=2',
    baggage: 'user=ann,plan=free',
  }

  it('reaches the server as it is, of a client without sessions', async () => {
    await using test = await startGateway()
    const heard = await scripted(test, {})
    await (await postModern(test, 'tools/call', { name: 'echo' }, { meta: TRACE })).text()
    expect(heard.at(-1)).toMatchObject({ method: 'tools/call', params: { _meta: TRACE } })
  })

  it('reaches the server as it is, of a client with a session', async () => {
    await using test = await startGateway()
    const heard = await scripted(test, {})
    const client = await connectClient(test, 'v1 http')
    await client.v1?.request({ method: 'tools/list', params: { _meta: TRACE } }, z.looseObject({}))
    expect(heard.at(-1)).toMatchObject({ method: 'tools/list', params: { _meta: TRACE } })
  })
})
