import { describe, expect, it } from 'vitest'
import type { EndpointSpec } from '@toolhaven/core/ports/gateway'
import { startIdentityProvider } from '@toolhaven/testing/testbed/identity-provider'
import { createPolicyEngine } from '../src/policy/decisions/cedar/cedar-engine.ts'
import { authorization } from '../src/policy/decisions/authorization.ts'
import { shownName } from '../src/policy/decisions/tools-override.ts'
import { Notes } from '../src/http/server/notes.ts'
import { requestOf } from '../src/messages/json-rpc.ts'
import { CLIENTS, connectClient, startGateway, type TestGateway } from './support/gateway.ts'

const ONLY_ECHO = 'permit(principal, action == Action::"call_tool", resource == Tool::"echo");'

async function start(spec: Partial<EndpointSpec>, options: Parameters<typeof startGateway>[0] = {}) {
  const test = await startGateway(options)
  await test.open(spec)
  await test.run()
  return test
}

const withPolicies = (...policies: string[]) => start({ authorization: { policies } })

async function session(test: TestGateway, protocolVersion = '2025-03-26', headers: Record<string, string> = {}) {
  const post = (body: string, extra: Record<string, string> = {}) =>
    fetch(`${test.origin}/mcp`, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
        ...extra,
      },
      body,
    })
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } }
  const opened = await post(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }))
  const id = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  await opened.body?.cancel()
  const text = async (body: unknown, extra: Record<string, string> = {}) => {
    const answer = await post(typeof body === 'string' ? body : JSON.stringify(body), { ...id, ...extra })
    return `${answer.status} ${await answer.text()}`
  }
  const call = (method: string, callParams: object = {}) => text({ jsonrpc: '2.0', id: 7, method, params: callParams })
  return { text, call }
}

const DENIED = '"code":-32003'

describe('what no policy permits', () => {
  it.each(CLIENTS)('is neither listed nor called by a client of the kind %s', async (kind) => {
    await using test = await withPolicies(ONLY_ECHO)
    const client = await connectClient(test, kind)
    expect(await client.tools()).toEqual(['echo'])
    expect(await client.call('echo', { text: 'hi' })).toBe('hi')
    await expect(client.call('add', { a: 1, b: 2 })).rejects.toThrow('do not allow you to call the tool add')
  })

  it('is denied whatever the method', async () => {
    await using test = await withPolicies(ONLY_ECHO)
    const { call } = await session(test)
    expect(await call('resources/read', { uri: 'memo://a' })).toContain(DENIED)
    expect(await call('resources/subscribe', { uri: 'memo://a' })).toContain(DENIED)
    expect(await call('prompts/get', { name: 'greet' })).toContain(DENIED)
    expect(await call('completion/complete', { ref: { type: 'ref/prompt', name: 'greet' } })).toContain(DENIED)
    expect(await call('tasks/list')).toContain(DENIED)
    expect(await call('made/up')).toContain(DENIED)
    expect(await call('tools/call', { name: ['echo'] })).toContain('-32602')
    expect(await call('ping')).toBe('200 {"jsonrpc":"2.0","id":7,"result":{}}')
    expect(await call('resources/list')).toContain('"resources":[]')
    expect(await call('prompts/list')).toContain('"prompts":[]')
  })

  it('is not reached by a batch, a notification, a second key or another spelling of it', async () => {
    await using test = await withPolicies(ONLY_ECHO)
    const { text } = await session(test)
    const crash = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'crash' } }
    const echo = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'echo', arguments: { text: 'x' } } }
    const both = await text([crash, echo])
    expect(both).toContain(DENIED)
    expect(both).toContain('"text":"x"')
    const { id: _id, ...untold } = crash
    expect(await text(untold)).toMatch(/^202/)
    expect(
      await text('{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","name":"crash"}}'),
    ).toContain(DENIED)
    expect(
      await text('{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","Name":"crash"}}'),
    ).toMatch(/^400/)
    expect(
      await text('{"jsonrpc":"2.0","id":5,"method":"ping","METHOD":"tools/call","params":{"name":"echo"}}'),
    ).toMatch(/^400/)
    expect(await text(crash, { 'content-type': 'text/plain' })).toMatch(/^(4\d\d|200 .*-32003)/)
    expect(await text({ ...echo, id: 9 })).toContain('"text":"x"')
    expect(test.lost).toEqual([])
  })

  it('is not reached through a subscription of a client without a session', async () => {
    await using test = await withPolicies(ONLY_ECHO)
    const answer = await fetch(`${test.origin}/mcp`, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: {
          notifications: { resourceSubscriptions: ['memo://a'] },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    })
    expect(await answer.text()).toContain(DENIED)
  })
})

it('a subscription to more resources than anybody may name is refused before one of them is judged', async () => {
  const engine = await createPolicyEngine({ policies: ['permit(principal, action, resource);'] })
  let judged = 0
  const allows: typeof engine.allows = (...question) => {
    judged++
    return engine.allows(...question)
  }
  const { fromClient } = authorization({ engine: { ...engine, allows }, callers: new Notes(), shown: shownName() })
  const listenTo = (count: number) => {
    const resourceSubscriptions = Array.from({ length: count }, (_, at) => `memo://${at}`)
    const request = requestOf(1, 'subscriptions/listen', { notifications: { resourceSubscriptions } })
    const from = Object.create(null)
    return fromClient?.(request, { session: undefined, from, headers: () => ({}), id: 1 })
  }
  expect(listenTo(1001)).toMatchObject({ message: expect.stringContaining('may name 1000 resources at most') })
  expect(judged).toBe(0)
  expect(listenTo(10)).toBeUndefined()
  expect(judged).toBe(10)
})

it.each(['updated', String.raw`\u0075pdated`, String.raw`\u0075\u0070dated`])(
  'an update of a resource that may not be read is not heard, its method written as %s',
  async (written) => {
    const engine = await createPolicyEngine({
      policies: ['permit(principal, action, resource == Resource::"memo://ok");'],
    })
    const { mayHear } = authorization({ engine, callers: new Notes(), shown: shownName() })
    const hears = (uri: string) => {
      const text = `{"jsonrpc":"2.0","method":"notifications/resources/${written}","params":{"uri":"${uri}"}}`
      return mayHear?.(text, Object.create(null))
    }
    expect([hears('memo://ok'), hears('memo://secret')]).toEqual([true, false])
  },
)

describe('policies', () => {
  it('see arguments, and the list shows what may be called with some', async () => {
    await using test = await withPolicies(
      'permit(principal, action == Action::"call_tool", resource == Tool::"add") when { context.arg_a < 10 };',
    )
    const client = await connectClient(test, 'v1 http')
    expect(await client.tools()).toEqual(['add'])
    expect(await client.call('add', { a: 1, b: 2 })).toBe('3')
    await expect(client.call('add', { a: 10, b: 2 })).rejects.toThrow('Denied')
  })

  it('go by the claims of each token, also within one session', async () => {
    await using provider = await startIdentityProvider()
    const audience = 'https://mcp.example.com/time'
    const policies = [
      'permit(principal, action == Action::"call_tool", resource) when { principal.claim_exp - principal.claim_iat > 1000 };',
    ]
    await using test = await start(
      { authentication: { issuer: provider.issuer, audience }, authorization: { policies } },
      { identityFetch: () => fetch, tokenTimes: { skewMs: 0 } },
    )
    const [strong, weak] = await Promise.all([
      provider.token({ audience, seconds: 3600 }),
      provider.token({ audience, seconds: 600 }),
    ])
    const { text } = await session(test, '2025-11-25', { authorization: `Bearer ${strong}` })
    const echo = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'echo', arguments: { text: 'x' } } }
    expect(await text(echo)).toContain('"text":"x"')
    expect(await text(echo, { authorization: `Bearer ${weak}` })).toContain(DENIED)
    expect(await text({ ...echo, method: 'tools/list' }, { authorization: `Bearer ${weak}` })).toContain('"tools":[]')
  })

  it('are about the tool of the server, whatever clients call it', async () => {
    await using test = await start({
      authorization: { policies: [ONLY_ECHO] },
      toolsOverride: { echo: { name: 'say' }, add: { name: 'echo' } },
    })
    const client = await connectClient(test, 'v1 http')
    expect(await client.tools()).toEqual(['say'])
    expect(await client.call('say', { text: 'hi' })).toBe('hi')
    await expect(client.call('echo', { a: 1, b: 1 })).rejects.toThrow('Denied')
  })

  it('change with the endpoint', async () => {
    await using test = await withPolicies(ONLY_ECHO)
    const client = await connectClient(test, 'v1 http')
    expect(await client.tools()).toEqual(['echo'])
    await test.open({ authorization: { policies: ['permit(principal, action, resource == Tool::"add");'] } })
    expect(await client.tools()).toEqual(['add'])
    await expect(client.call('echo', { text: 'x' })).rejects.toThrow('Denied')
  })
})
