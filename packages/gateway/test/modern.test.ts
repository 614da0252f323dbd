import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { messagesOf } from './support/events.ts'
import { startGateway, type TestGateway } from './support/gateway.ts'
import { MODERN_VERSION, postModern, type ModernChange } from './support/modern-post.ts'

let test: TestGateway
beforeAll(async () => {
  test = await startGateway({ limits: { backendWaitMs: 2_000 } })
  await test.open()
  await test.run()
})
afterAll(() => test[Symbol.asyncDispose]())

type Json = { [key: string]: unknown }

interface Sent extends ModernChange {
  method: string
  params?: Json
}

const post = ({ method, params, ...change }: Sent) => postModern(test, method, params, change)

async function allOf(events: AsyncIterable<Json>): Promise<Json[]> {
  const all: Json[] = []
  for await (const event of events) all.push(event)
  return all
}

const call = (name: string, args: Json = {}, change: Partial<Sent> = {}): Sent => ({
  method: 'tools/call',
  params: { name, arguments: args },
  ...change,
})

describe('a request without a session', () => {
  it('is answered with what the revision asks for in every result', async () => {
    const response = await post(call('echo', { text: 'hello' }, { id: 'mine' }))
    expect(response.status).toBe(200)
    expect(response.headers.get('mcp-session-id')).toBeNull()
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: 'mine',
      result: {
        resultType: 'complete',
        content: [{ type: 'text', text: 'hello' }],
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'fixture', version: '1.2.3' } },
      },
    })
  })

  it('learns the server by server/discover', async () => {
    const { result } = await (await post({ method: 'server/discover' })).json()
    expect(result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [MODERN_VERSION, '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
      capabilities: { tools: { listChanged: true }, logging: {} },
      instructions: 'for tests',
      ttlMs: 0,
      cacheScope: 'private',
    })
  })

  it.each(['tools/list', 'prompts/list', 'resources/list'])('says with %s how long it may be kept', async (method) => {
    const { result } = await (await post({ method })).json()
    expect(result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' })
  })

  it('may have the same id as another one in flight, of the same client even', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, at) => post(call('echo', { text: `text ${at}` }, { id: 7 }))),
    )
    const texts = await Promise.all(responses.map(async (response) => (await response.json()).result.content[0].text))
    expect(texts).toEqual(Array.from({ length: 20 }, (_, at) => `text ${at}`))
  })

  it('ignores a session id and hands out none', async () => {
    const response = await post(call('echo', { text: 'x' }, { headers: { 'mcp-session-id': 'whatever' } }))
    expect(response.status).toBe(200)
    expect(response.headers.get('mcp-session-id')).toBeNull()
  })

  it('streams progress before the answer, with the token of the client', async () => {
    const response = await post({
      ...call('progress', { steps: 2, text: 'p' }),
      meta: { progressToken: 'mine' },
    })
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    const events = await allOf(messagesOf(response))
    expect(events.map(({ params }) => params)).toEqual([
      expect.objectContaining({ progressToken: 'mine', progress: 1 }),
      expect.objectContaining({ progressToken: 'mine', progress: 2 }),
      undefined,
    ])
    expect(events.at(-1)).toMatchObject({ id: 1, result: { resultType: 'complete' } })
  })

  it('hears log messages only of the level it asks for, and none without', async () => {
    const quiet = await post(call('log', { text: 'unheard', level: 'error' }))
    expect(quiet.headers.get('content-type')).toBe('application/json')
    const meta = { 'io.modelcontextprotocol/logLevel': 'warning' }
    const low = await post({ ...call('log', { text: 'low', level: 'info' }), meta })
    expect(low.headers.get('content-type')).toBe('application/json')
    const loud = await allOf(messagesOf(await post({ ...call('log', { text: 'heard', level: 'error' }), meta })))
    expect(loud[0]).toMatchObject({ method: 'notifications/message', params: { level: 'error', data: 'heard' } })
  })

  it('is cancelled at the server when its client goes away', async () => {
    const controller = new AbortController()
    const gone = post({ ...call('sleep', { ms: 60_000 }), signal: controller.signal }).catch((error: unknown) => error)
    await expect.poll(async () => (await stats()).sleeping).toBeGreaterThan(0)
    const { cancelled } = await stats()
    controller.abort()
    expect(await gone).toBeInstanceOf(Error)
    await expect.poll(async () => (await stats()).cancelled).toBe(cancelled + 1)
  })
})

async function stats(): Promise<{ sleeping: number; cancelled: number; subscribed: number; unsubscribed: number }> {
  const { result } = await (await post(call('stats'))).json()
  return JSON.parse(result.content[0].text)
}

describe('a request is refused and not forwarded', () => {
  const version = 'io.modelcontextprotocol/protocolVersion'
  const echo = call('echo', { text: 'x' })
  it.each<[string, Sent, number, number]>([
    ['without the version header', { ...echo, headers: { 'mcp-protocol-version': undefined } }, 400, -32_020],
    [
      'with another version in the header',
      { ...echo, headers: { 'mcp-protocol-version': '2025-11-25' } },
      400,
      -32_020,
    ],
    ['without Mcp-Method', { ...echo, headers: { 'mcp-method': undefined } }, 400, -32_020],
    ['with another method in the header', { ...echo, headers: { 'mcp-method': 'tools/list' } }, 400, -32_020],
    ['with the method in other letters', { ...echo, headers: { 'mcp-method': 'Tools/Call' } }, 400, -32_020],
    ['without Mcp-Name', { ...echo, headers: { 'mcp-name': undefined } }, 400, -32_020],
    ['with another name in the header', { ...echo, headers: { 'mcp-name': 'add' } }, 400, -32_020],
    ['with a broken encoding', { ...echo, headers: { 'mcp-name': '=?base64?###?=' } }, 400, -32_020],
    ['without _meta', { ...echo, params: { ...echo.params, _meta: undefined } }, 400, -32_602],
    ['without a version in _meta', { ...echo, meta: { [version]: undefined } }, 400, -32_602],
    [
      'without capabilities',
      { ...echo, meta: { 'io.modelcontextprotocol/clientCapabilities': undefined } },
      400,
      -32_602,
    ],
    ['of an unknown method', { method: 'no/such' }, 404, -32_601],
    ['that is gone from the revision', { method: 'ping' }, 404, -32_601],
    ['that would open a session', { method: 'initialize' }, 404, -32_601],
    ['with a state nobody gave out', { ...echo, params: { ...echo.params, requestState: 'x' } }, 200, -32_602],
  ])('%s', async (_what, sent, status, code) => {
    const response = await post(sent)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ id: 1, error: { code, message: expect.any(String) } })
  })

  it('of an unknown version, and told which there are', async () => {
    const meta = { [version]: '1900-01-01' }
    const response = await post({ ...echo, meta, headers: { 'mcp-protocol-version': '1900-01-01' } })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { code: -32_022, data: { supported: expect.arrayContaining([MODERN_VERSION]), requested: '1900-01-01' } },
    })
  })

  it('takes a name in Base64 for the same name', async () => {
    const encoded = `=?base64?${Buffer.from('echo').toString('base64')}?=`
    expect((await post({ ...echo, headers: { 'mcp-name': encoded } })).status).toBe(200)
  })
})

describe('what a server with sessions asks of a client without', () => {
  // Calls of others that are open, or were cancelled, may have caused a question as well.
  beforeEach(() => test.run())

  const able = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, sampling: {}, roots: {} } }
  const asked = async (tool: string) => {
    const { result } = await (await post({ ...call(tool, { text: 'q' }), meta: able })).json()
    expect(result.resultType).toBe('input_required')
    const [key] = Object.keys(result.inputRequests)
    return { key: String(key), request: result.inputRequests[String(key)], state: result.requestState }
  }
  const retry = (tool: string, more: Json, change: Partial<Sent> = {}) =>
    post({
      method: 'tools/call',
      params: { name: tool, arguments: { text: 'q' }, ...more },
      meta: able,
      id: 2,
      ...change,
    })

  it('is asked in a result and answered with a retry', async () => {
    const { key, request, state } = await asked('elicit')
    expect(request).toMatchObject({ method: 'elicitation/create', params: { message: 'q' } })
    const answer = { action: 'accept', content: { name: 'Ada' } }
    const response = await retry('elicit', { requestState: state, inputResponses: { [key]: answer } })
    const { id, result } = await response.json()
    expect(id).toBe(2)
    expect(result.content[0].text).toContain('Ada')
  })

  it('is asked again when the answer is missing', async () => {
    const { key, state } = await asked('elicit')
    const { result } = await (await retry('elicit', { requestState: state, inputResponses: {} })).json()
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { [key]: expect.anything() } })
    const done = await retry('elicit', {
      requestState: result.requestState,
      inputResponses: { [key]: { action: 'decline' } },
    })
    expect((await done.json()).result.content[0].text).toContain('decline')
  })

  it.each<[string, string, Partial<Sent>]>([
    ['used twice', 'elicit', {}],
    ['used with another tool', 'sample', {}],
  ])('a state is worth nothing when %s', async (what, tool, change) => {
    const { key, state } = await asked('elicit')
    const inputResponses = { [key]: { action: 'decline' } }
    if (what === 'used twice') await retry('elicit', { requestState: state, inputResponses })
    const { error } = await (await retry(tool, { requestState: state, inputResponses }, change)).json()
    expect(error.code).toBe(-32_602)
  })

  it('is refused on behalf of a client that cannot answer', async () => {
    const { result } = await (await post(call('elicit', { text: 'q' }))).json()
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: expect.stringContaining('-32601') }] })
  })
})

describe('subscriptions/listen', () => {
  it('acknowledges what it grants, then tells of just that, marked with the subscription', async () => {
    const controller = new AbortController()
    const before = await stats()
    const response = await post({
      method: 'subscriptions/listen',
      id: 'sub',
      params: {
        notifications: { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['memo://a'] },
      },
      signal: controller.signal,
    })
    const events = messagesOf(response)
    const mark = { 'io.modelcontextprotocol/subscriptionId': 'sub' }
    expect((await events.next()).value).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true, resourceSubscriptions: ['memo://a'] }, _meta: mark },
    })
    await post(call('touch', { uri: 'memo://a' }))
    expect((await events.next()).value).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'memo://a', _meta: mark },
    })
    await post(call('relist'))
    expect((await events.next()).value).toMatchObject({
      method: 'notifications/tools/list_changed',
      params: { _meta: mark },
    })
    controller.abort()
    await expect.poll(async () => (await stats()).unsubscribed).toBe(before.unsubscribed + 1)
  })

  it('ends with a result when the workload goes', async () => {
    await using other = await startGateway()
    await other.open()
    await other.run()
    const events = messagesOf(await postModern(other, 'subscriptions/listen', { notifications: {} }, { id: 9 }))
    await events.next()
    const [last] = await Promise.all([events.next(), other.gateway.close('fixture')])
    expect(last.value).toMatchObject({ id: 9, result: { resultType: 'complete' } })
  })
})

describe('a client of the SDK', () => {
  it('finds out on its own that there are no sessions here', async () => {
    const client = new Client({ name: 'auto', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${test.origin}/mcp`)))
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo')
    await client.close()
  })
})
