import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { modernServer, startModernServer } from '@toolhaven/testing/mcp-servers/child-channel'
import { startIdentityProvider } from '@toolhaven/testing/testbed/identity-provider'
import { messagesOf } from './support/events.ts'
import { connectClient, NAME, never, startGateway, type TestGateway } from './support/gateway.ts'
import { MODERN_META, MODERN_VERSION, postModern, type ModernChange } from './support/modern-post.ts'

type Json = { [key: string]: unknown }

const CAN_ANSWER = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }

const BACKS = ['stdio', 'sse', 'streamable-http'] as const

async function serve(test: TestGateway, back: (typeof BACKS)[number], processId: string) {
  if (back !== 'stdio') {
    const server = await startModernServer([], back)
    test.defer(() => server.kill())
    await test.gateway.connect(NAME, { kind: 'http', transport: back, url: server.url, processId }, never)
    return server
  }
  const child = modernServer([])
  test.defer(() => child.kill())
  await test.gateway.connect(NAME, { kind: 'stdio', channel: child.channel, processId, start: child.start }, never)
  return child
}

async function start(back: (typeof BACKS)[number]): Promise<TestGateway> {
  const test = await startGateway({ limits: { probeMs: 50_000, sseProbeMs: 50_000 } })
  await test.open()
  await serve(test, back, 'first')
  return test
}

describe.each(BACKS)('a client with a session, in front of a server without (%s)', (back) => {
  let test: TestGateway
  beforeAll(async () => {
    test = await start(back)
  })
  afterAll(() => test[Symbol.asyncDispose]())

  const post = (body: Json, headers: Record<string, string> = {}) =>
    fetch(`${test.origin}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    })
  const initialize = (protocolVersion: string) =>
    post({
      method: 'initialize',
      params: {
        protocolVersion,
        capabilities: { roots: { listChanged: true } },
        clientInfo: { name: 'raw', version: '7' },
      },
    })

  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])('is welcomed in revision %s by the gateway', async (version) => {
    const response = await initialize(version)
    expect(response.headers.get('mcp-session-id')).not.toBeNull()
    expect((await response.json()).result).toEqual({
      protocolVersion: version,
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: {},
        logging: {},
      },
      serverInfo: expect.objectContaining({ name: 'modern-fixture', version: '2.3.4' }),
      instructions: 'for tests',
    })
  })

  it('sees results as its revision has them', async () => {
    const session = { 'mcp-session-id': (await initialize('2025-11-25')).headers.get('mcp-session-id') ?? '' }
    const list = (await (await post({ method: 'tools/list' }, session)).json()).result
    expect(Object.keys(list)).toEqual(['tools'])
    const called = await post({ method: 'tools/call', params: { name: 'echo', arguments: { text: 'x' } } }, session)
    expect((await called.json()).result).toEqual({ content: [{ type: 'text', text: 'x' }] })
    expect((await (await post({ method: 'ping' }, session)).json()).result).toEqual({})
    const unknown = await post({ method: 'tasks/list' }, session)
    expect((await unknown.json()).error.code).toBe(-32_601)
  })

  it('is introduced to the server with each request', async () => {
    const session = { 'mcp-session-id': (await initialize('2025-11-25')).headers.get('mcp-session-id') ?? '' }
    const params = { name: 'envelope', arguments: {}, _meta: { traceparent: 'kept' } }
    const { result } = await (await post({ method: 'tools/call', params }, session)).json()
    expect(JSON.parse(result.content[0].text)).toEqual({
      traceparent: 'kept',
      'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '7' },
      'io.modelcontextprotocol/clientCapabilities': { roots: {} },
      'io.modelcontextprotocol/logLevel': 'info',
    })
  })

  it.each(['v1 http', 'v1 sse'] as const)('hears of changes it subscribed to (%s)', async (kind) => {
    const { v1, call } = await connectClient(test, kind)
    const heard: string[] = []
    v1?.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri))
    v1?.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push('tools'))
    const other = await connectClient(test, 'v1 http')
    const others: string[] = []
    other.v1?.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void others.push(params.uri))
    await v1?.subscribeResource({ uri: 'memo://a' })
    await call('touch', { uri: 'memo://b' })
    await call('touch', { uri: 'memo://a' })
    await expect.poll(() => heard).toEqual(['memo://a'])
    await call('relist')
    await expect.poll(() => heard).toEqual(['memo://a', 'tools'])
    await v1?.unsubscribeResource({ uri: 'memo://a' })
    await call('touch', { uri: 'memo://a' })
    await call('relist')
    await expect.poll(() => heard).toEqual(['memo://a', 'tools', 'tools'])
    expect(others).toEqual([])
  })

  it('gets log messages from the level on that it asked for', async () => {
    const { v1, call } = await connectClient(test, 'v1 http')
    const heard: unknown[] = []
    v1?.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params.data))
    await call('log', { text: 'one', level: 'info' })
    await expect.poll(() => heard).toEqual(['one'])
    await v1?.setLoggingLevel('error')
    await call('log', { text: 'two', level: 'info' })
    await call('log', { text: 'three', level: 'error' })
    await expect.poll(() => heard).toEqual(['one', 'three'])
    await expect(v1?.setLoggingLevel('error')).resolves.toBeDefined()
  })
})

describe.each(BACKS)('a subscription at a server that is restarted (%s)', (back) => {
  it('is made again', async () => {
    await using test = await start(back)
    const { v1, call } = await connectClient(test, 'v1 http')
    const heard: string[] = []
    v1?.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri))
    await v1?.subscribeResource({ uri: 'memo://a' })
    test.gateway.disconnect(NAME, 'restart')
    await serve(test, back, 'second')
    await expect
      .poll(async () => {
        await call('touch', { uri: 'memo://a' })
        return heard.length
      })
      .toBeGreaterThan(0)
  })
})

describe.each(BACKS)('a client and a server without sessions (%s)', (back) => {
  let test: TestGateway
  beforeAll(async () => {
    test = await start(back)
  })
  afterAll(() => test[Symbol.asyncDispose]())

  const send = (method: string, params: Json = {}, change: ModernChange = {}) =>
    postModern(test, method, params, { id: 'mine', ...change, meta: { ...CAN_ANSWER, ...change.meta } })
  const call = async (name: string, more: Json = {}, args: Json = {}) =>
    (await send('tools/call', { name, arguments: args, ...more })).json()

  it('agree on what is asked and answered, with nothing taken away or added', async () => {
    const meta = { traceparent: 'kept', progressToken: 'token', 'io.modelcontextprotocol/logLevel': 'error' }
    const response = await send('tools/call', { name: 'envelope', arguments: {} }, { meta })
    const { id, result } = await response.json()
    expect(id).toBe('mine')
    expect(result).toMatchObject({ resultType: 'complete' })
    const { progressToken, ...seen } = JSON.parse(result.content[0].text)
    expect(progressToken).toBeDefined()
    const { progressToken: _own, ...sent } = { ...MODERN_META, ...CAN_ANSWER, ...meta }
    expect(seen).toEqual(sent)
  })

  it('agree on how long an answer may be kept', async () => {
    const { result } = await (await send('tools/list')).json()
    expect(result).toMatchObject({ resultType: 'complete', ttlMs: 60_000, cacheScope: 'public' })
  })

  it('discover one another, and that the gateway also serves clients with sessions', async () => {
    const { result } = await (await send('server/discover')).json()
    expect(result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [MODERN_VERSION, '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
      capabilities: { tools: { listChanged: true } },
      instructions: 'for tests',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'modern-fixture' } },
    })
  })

  it('ask and answer in results and retries, with the state of the server as it is', async () => {
    const first = (await call('elicit', {}, { text: 'q' })).result
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: { elicit: { method: 'elicitation/create', params: { message: 'q' } } },
    })
    expect(first).not.toHaveProperty('requestState')
    const answer = { action: 'accept', content: { name: 'Ada' } }
    const { result } = await call('elicit', { inputResponses: { elicit: answer } }, { text: 'q' })
    expect(JSON.parse(result.content[0].text)).toEqual(answer)
    expect((await call('later')).result).toMatchObject({ resultType: 'input_required', requestState: '1' })
    expect((await call('later', { requestState: '2' })).result.content[0].text).toBe('after 2')
  })

  it('keep errors and their status', async () => {
    const unknown = await send('no/such')
    expect(unknown.status).toBe(404)
    expect((await unknown.json()).error.code).toBe(-32_601)
    const unable = await send('tools/call', { name: 'sample', arguments: { text: 'q' } })
    expect(unable.status).toBe(400)
    expect((await unable.json()).error.code).toBe(-32_021)
    const unsaid = await send('tools/call', { name: 'region', arguments: { region: 'north' } })
    expect(unsaid.status).toBe(400)
    expect((await unsaid.json()).error.code).toBe(-32_020)
    const said = await send(
      'tools/call',
      { name: 'region', arguments: { region: 'north' } },
      { headers: { 'mcp-param-region': 'north' } },
    )
    expect((await said.json()).result.content[0].text).toBe('in north')
  })

  it('keep a subscription open between them, marked with the id of the client', async () => {
    const controller = new AbortController()
    const filter = {
      notifications: { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['memo://a'] },
    }
    const response = await send('subscriptions/listen', filter, { signal: controller.signal })
    const events = messagesOf(response)
    const _meta = expect.objectContaining({ 'io.modelcontextprotocol/subscriptionId': 'mine' })
    expect((await events.next()).value).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true, resourceSubscriptions: ['memo://a'] }, _meta },
    })
    await call('touch', {}, { uri: 'memo://b' })
    await call('touch', {}, { uri: 'memo://a' })
    expect((await events.next()).value).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'memo://a', _meta },
    })
    await call('relist')
    expect((await events.next()).value).toMatchObject({ method: 'notifications/tools/list_changed', params: { _meta } })
    controller.abort()
  })

  it('end a subscription with a result when the workload goes', async () => {
    const response = await send('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const events = messagesOf(response)
    await events.next()
    const [last] = await Promise.all([events.next(), test.gateway.close(NAME)])
    expect(last.value).toMatchObject({ id: 'mine', result: { resultType: 'complete' } })
    await test.open()
    await serve(test, back, 'again')
  })
})

it('where callers say who they are, the state of a server is good for the caller it was given to', async () => {
  await using provider = await startIdentityProvider()
  await using test = await startGateway({ limits: { probeMs: 50_000 }, identityFetch: () => fetch })
  const audience = 'https://mcp.example.com/modern'
  await test.open({ authentication: { issuer: provider.issuer, audience } })
  await serve(test, 'stdio', 'first')
  const later = async (client: 'one' | 'two', more: Json = {}) => {
    const token = await provider.token({ audience, client })
    const change = { meta: CAN_ANSWER, headers: { authorization: `Bearer ${token}` } }
    return (await postModern(test, 'tools/call', { name: 'later', ...more }, change)).json()
  }
  const { requestState } = (await later('one')).result
  expect(requestState).not.toBe('1')
  expect((await later('two', { requestState })).error.code).toBe(-32_602)
  expect((await later('one', { requestState: '2' })).error.code).toBe(-32_602)
  const second = (await later('one', { requestState })).result
  expect((await later('one', { requestState: second.requestState })).result.content[0].text).toBe('after 2')
})

it('towards an HTTP server the headers say what the body says, whatever the client sent', async () => {
  await using test = await start('streamable-http')
  const client = await connectClient(test, 'v1 http')
  expect(JSON.parse(await client.call('headers'))).toMatchObject({
    'mcp-protocol-version': MODERN_VERSION,
    'mcp-method': 'tools/call',
    'mcp-name': 'headers',
  })
  expect(JSON.parse(await client.call('headers'))).not.toHaveProperty('mcp-session-id')
})
