import { expect, it, vi } from 'vitest'
import type { AuditSpec, EndpointSpec } from '@toolhaven/core/ports/gateway'
import { connectClient, startGateway, type TestGateway } from './support/gateway.ts'
import { connectServer, openSession } from './support/raw-server.ts'
import { AUTHENTICATION, bearer, identities } from './support/identities.ts'

const ALL: AuditSpec = {
  component: 'desk',
  eventTypes: [],
  excludeEventTypes: [],
  hasRequestData: false,
  hasResponseData: false,
  maxDataBytes: 1024,
}

interface AuditRecord {
  type: string
  outcome: string
  target: { name?: string; type: string; method: string; endpoint: string }
  subjects: { user: string; client_name?: string }
  metadata: { extra: Record<string, unknown> }
  data?: { request?: unknown; response?: unknown }
  component: string
}

async function start(
  audit: Partial<AuditSpec> = {},
  spec: Partial<EndpointSpec> = {},
  options: Parameters<typeof startGateway>[0] = {},
) {
  const records: AuditRecord[] = []
  const lines: string[] = []
  const quiet = () => {}
  const test = await startGateway({
    identityFetch: () => () => Promise.reject(new Error('nobody there')),
    openAuditLog: async () => ({
      write: (line) => {
        lines.push(line)
        records.push(JSON.parse(line))
      },
      close: () => Promise.resolve(),
    }),
    events: {
      onBackendLost: quiet,
      onOutput: quiet,
      onLoginNeeded: quiet,
      onLoggedIn: quiet,
      mask: (text) => text.replaceAll('hunter2', '[secret]'),
    },
    ...options,
  })
  await test.open({ audit: { ...ALL, ...audit }, ...spec })
  await test.run()
  const of = (type: string) => records.filter((record) => record.type === type)
  return { test, of, records, lines, [Symbol.asyncDispose]: () => test[Symbol.asyncDispose]() }
}

const soon = (check: () => void) => vi.waitFor(check, { timeout: 10_000 })

function post(test: TestGateway, body: string, headers: Record<string, string> = {}) {
  return fetch(`${test.origin}/mcp`, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
    body,
  })
}

it.each(['v1 http', 'v1 sse', 'v2 modern'] as const)('records the calls of a client of the kind %s', async (kind) => {
  await using audited = await start()
  const client = await connectClient(audited.test, kind)
  await client.call('echo', { text: 'hi' })
  await expect(client.call('nothing')).rejects.toThrow('Unknown tool')
  await soon(() => expect(audited.of('mcp_tool_call')).toHaveLength(2))
  expect(audited.of('mcp_tool_call')).toMatchObject([
    {
      outcome: 'success',
      component: 'desk',
      source: { type: 'network', value: '127.0.0.1' },
      subjects: { user: 'anonymous', client_name: kind.slice(0, 2) },
      target: { endpoint: kind === 'v1 sse' ? '/messages' : '/mcp', method: 'tools/call', name: 'echo', type: 'tool' },
      metadata: { extra: { duration_ms: expect.any(Number) } },
    },
    { outcome: 'failure', target: { name: 'nothing' }, metadata: { extra: { error_code: -32_602 } } },
  ])
  expect(audited.of('mcp_initialize')).toHaveLength(1)
  expect(audited.records.some(({ data }) => data !== undefined)).toBe(false)
})

it('records denials: of the filter, of policies and of callers nobody knows', async () => {
  const policies = ['permit(principal, action, resource == Tool::"add");']
  await using audited = await start({}, { toolsFilter: ['echo', 'add'], authorization: { policies } })
  const client = await connectClient(audited.test, 'v1 http')
  await expect(client.call('echo')).rejects.toThrow('Denied')
  expect(audited.of('mcp_tool_call')).toMatchObject([
    { outcome: 'denied', metadata: { extra: { refused_by: 'authorization' } } },
  ])
  await audited.test.open({ audit: ALL, authentication: { issuer: 'https://id.example.com' } })
  expect((await post(audited.test, '{}')).status).toBe(401)
  await soon(() =>
    expect(audited.of('http_request')).toMatchObject([
      { outcome: 'denied', metadata: { extra: { status: 401 } }, target: { type: 'endpoint', method: 'POST' } },
    ]),
  )
})

it('records what is not a message, a stream and a call without an id; never what the guard turned away', async () => {
  await using audited = await start()
  const { test } = audited
  expect((await post(test, '{')).status).toBe(400)
  expect((await post(test, '{}', { origin: 'https://evil.example' })).status).toBe(403)
  expect((await fetch(`${test.origin}/health`)).status).toBe(200)
  const client = await connectClient(test, 'v1 http')
  await client.v1?.notification({ method: 'notifications/initialized' })
  await client.close()
  await soon(() => expect(audited.of('sse_connection')).toMatchObject([{ outcome: 'success' }]))
  await soon(() => expect(audited.of('mcp_notification').length).toBeGreaterThan(0))
  expect(audited.of('http_request').map(({ metadata }) => metadata.extra['status'])).toEqual([400])
})

it('records the message that the server gets, and takes none that says something else to another reader', async () => {
  await using audited = await start()
  const heard = await connectServer(audited.test, (id) => JSON.stringify({ jsonrpc: '2.0', id, result: {} }))
  const session = await openSession(audited.test)
  const twin = '{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"pay"}}'
  expect((await session(twin)).status).toBe(400)
  const twice = '{"jsonrpc":"2.0","id":2,"method":"tools/call","method":"ping","params":{"name":"pay"}}'
  expect((await session(twice)).status).toBe(200)
  await soon(() => expect(audited.of('mcp_ping')).toHaveLength(1))
  expect(audited.of('mcp_tool_call')).toEqual([])
  expect(heard.filter((line) => line.includes('pay'))).toHaveLength(1)
  expect(heard.join()).not.toContain('tools/call')
})

it('goes by the types that are asked for; those that are excluded win', async () => {
  await using audited = await start({
    eventTypes: ['mcp_tool_call', 'mcp_tools_list'],
    excludeEventTypes: ['mcp_tools_list'],
  })
  const client = await connectClient(audited.test, 'v1 http')
  await client.tools()
  await client.call('echo', { text: 'x' })
  expect(audited.records.map(({ type }) => type)).toEqual(['mcp_tool_call'])
})

it('holds data of a limited size, and no secrets', async () => {
  await using audited = await start({ hasRequestData: true, hasResponseData: true, maxDataBytes: 200 })
  const client = await connectClient(audited.test, 'v1 http')
  await client.call('echo', { text: 'my hunter2', api_key: 'k-1234', nested: [{ Password: 'p-1234' }], n: 1 })
  await client.call('echo', { text: 'y'.repeat(300) })
  const [small, large] = audited.of('mcp_tool_call')
  expect(small?.data).toMatchObject({
    request: {
      arguments: { text: 'my [secret]', api_key: '[hidden]', nested: [{ Password: '[hidden]' }], n: 1 },
    },
    response: { content: [{ type: 'text', text: 'my [secret]' }] },
  })
  expect(large?.data).toEqual({
    request: { omitted_bytes: expect.any(Number) },
    response: { omitted_bytes: expect.any(Number) },
  })
  expect(audited.lines.join('')).not.toMatch(/hunter2|k-1234|p-1234/)
})

it('masks a secret in the name of what is asked for', async () => {
  await using audited = await start()
  const client = await connectClient(audited.test, 'v1 http')
  await expect(client.call('tool-hunter2')).rejects.toThrow()
  expect(audited.of('mcp_tool_call')).toMatchObject([{ target: { name: 'tool-[secret]' } }])
  // Names are cut after 500 characters, and half a secret is still a secret.
  await expect(client.call(`${'x'.repeat(496)}hunter2`)).rejects.toThrow()
  expect(audited.lines.join('')).not.toContain('hunt')
})

it('names callers by what their provider vouches for, never by a name they chose', async () => {
  const provider = identities()
  await using audited = await start({}, AUTHENTICATION, { identityFetch: () => provider.fetch })
  const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25' } }
  const chosen = { name: 'root', preferred_username: 'admin', email: 'admin@example.com' }
  for (const claims of [
    { sub: 'u1', ...chosen },
    { client_id: 'u1', ...chosen },
  ])
    await post(audited.test, JSON.stringify(initialize), bearer(claims))
  await soon(() => expect(audited.of('mcp_initialize')).toHaveLength(2))
  expect(audited.of('mcp_initialize').map(({ subjects }) => subjects)).toMatchObject([
    { kind: 'user', user: 'u1', user_id: 'u1', display_name: 'root' },
    { kind: 'client', user: 'u1', display_name: 'root' },
  ])
})

it('records what is too large or too often, of callers and of strangers', async () => {
  const provider = identities()
  const limits = { clientRequestsPerMinute: 2, maxMessageBytes: 2000 }
  await using audited = await start({}, { ...AUTHENTICATION, limits }, { identityFetch: () => provider.fetch })
  const send = async (body: string, headers: Record<string, string>) => (await post(audited.test, body, headers)).status
  const large = JSON.stringify({ padding: 'x'.repeat(3000) })
  expect(await send(large, bearer({ sub: 'u1' }))).toBe(413)
  for (let i = 0; i < 2; i++) expect(await send('{}', bearer({ sub: 'u1' }))).toBe(400)
  expect(await send('{}', bearer({ sub: 'u1' }))).toBe(429)
  for (const status of [401, 401, 429]) expect(await send('{}', {})).toBe(status)
  await soon(() => expect(audited.of('http_request')).toHaveLength(7))
  const seen = audited.of('http_request').map(({ subjects, metadata }) => [subjects.user, metadata.extra['status']])
  expect(seen).toContainEqual(['u1', 413])
  expect(seen).toContainEqual(['u1', 429])
  expect(seen).toContainEqual(['anonymous', 429])
})
