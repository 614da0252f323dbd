import { describe, expect, it, vi } from 'vitest'
import { messagesOf } from './support/events.ts'
import type { TestGateway } from './support/gateway.ts'
import { ask, AUTHENTICATION, bearer, sessionOf, startWithIdentities, tokenOf } from './support/identities.ts'
import { postModern } from './support/modern-post.ts'
import { connectScripted } from './support/scripted-server.ts'

type Claims = Record<string, unknown> | undefined
type Server = Awaited<ReturnType<typeof connectScripted>>

const CAPABILITIES = { tools: { listChanged: true }, resources: { subscribe: true } }
const OPTIONS = { tokenTimes: { introspectedMs: 0, skewMs: 0 }, limits: { keepAliveMs: 50 } }

/** Calls of tools are never answered. */
const connect = (test: TestGateway) =>
  connectScripted(test, ({ method }) => (method === 'tools/call' ? undefined : { result: { tools: [] } }), CAPABILITIES)

/** Makes the server report progress of the only call. */
async function progress({ heard, say }: Server): Promise<void> {
  const call = await vi.waitFor(() => {
    const found = heard.findLast(({ method }) => method === 'tools/call')
    if (found === undefined) throw new Error('no call yet')
    return found
  })
  const meta = JSON.stringify(call['params'])
  const progressToken: unknown = JSON.parse(/"progressToken":("[^"]*"|\d+)/.exec(meta)?.[1] ?? 'null')
  say({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
}

const CALL = { name: 'slow', arguments: {}, _meta: { progressToken: 'p' } }

/** Opens a stream of each kind and has a message sent on it. */
const STREAMS: Record<string, (test: TestGateway, server: Server, claims: Claims) => Promise<Response>> = {
  'GET /mcp': async (test, _server, claims) => ask(test, undefined, await sessionOf(test, claims), { method: 'GET' }),
  'GET /sse': (test, _server, claims) => ask(test, undefined, bearer(claims), { method: 'GET', path: '/sse' }),
  'a POST within a session': async (test, server, claims) => {
    const headers = await sessionOf(test, claims)
    const answer = ask(test, { jsonrpc: '2.0', id: 5, method: 'tools/call', params: CALL }, headers)
    await progress(server)
    return answer
  },
  'a POST without a session': async (test, server, claims) => {
    const { _meta, ...params } = CALL
    const answer = postModern(test, 'tools/call', params, { meta: _meta, headers: bearer(claims) })
    await progress(server)
    return answer
  },
  'subscriptions/listen': (test, _server, claims) =>
    postModern(
      test,
      'subscriptions/listen',
      { notifications: { toolsListChanged: true } },
      { headers: bearer(claims) },
    ),
}

describe.each(Object.entries(STREAMS))('the stream of %s', (_kind, openStream) => {
  it('ends with the token', async () => {
    await using test = await startWithIdentities({}, { tokenTimes: { skewMs: 0 } })
    const server = await connect(test)
    const exp = Math.ceil(Date.now() / 1000) + 2
    const stream = await openStream(test, server, { sub: 'u1', exp })
    expect(stream.status).toBe(200)
    await stream.text()
    expect(Date.now()).toBeGreaterThanOrEqual(exp * 1000 - 50)
  })

  it('ends when the token is taken back, and that of another goes on', async () => {
    await using test = await startWithIdentities({}, OPTIONS)
    const server = await connect(test)
    const stream = await openStream(test, server, { sub: 'u1' })
    const other = await ask(test, undefined, await sessionOf(test, { sub: 'u2' }), { method: 'GET' })
    test.provider.revoked.add(tokenOf({ sub: 'u1' }))
    await stream.text()
    server.say({ method: 'notifications/tools/list_changed' })
    expect(await messagesOf(other).next()).toMatchObject({ value: { method: 'notifications/tools/list_changed' } })
  })

  it('of a caller without a name ends when callers have to say who they are', async () => {
    await using test = await startWithIdentities()
    await test.open()
    const server = await connect(test)
    const stream = await openStream(test, server, undefined)
    expect(stream.status).toBe(200)
    await test.open(AUTHENTICATION)
    await stream.text()
  })
})

it('a call that is under way opens no stream for a caller without a name any more', async () => {
  await using test = await startWithIdentities()
  await test.open()
  const server = await connect(test)
  const answer = postModern(test, 'tools/call', { name: 'slow', arguments: {} }, { meta: { progressToken: 'p' } })
  await vi.waitFor(() => expect(server.heard.some(({ method }) => method === 'tools/call')).toBe(true))
  await test.open(AUTHENTICATION)
  await progress(server)
  expect(await (await answer).text()).not.toContain('progress')
})

describe('changes of a resource', () => {
  const READ = 'permit(principal, action, resource) unless { resource == Resource::"memo://b" };'
  const ALL = 'permit(principal, action, resource);'
  const say = (server: Server) => {
    for (const uri of ['memo://b', 'memo://a/1'])
      server.say({ method: 'notifications/resources/updated', params: { uri } })
  }

  it('are not told any more once it may not be read', async () => {
    await using test = await startWithIdentities({ authorization: { policies: [ALL] } })
    const server = await connect(test)
    const claims = { sub: 'u1' }
    const headers = await sessionOf(test, claims)
    for (const uri of ['memo://a', 'memo://b'])
      await (await ask(test, { jsonrpc: '2.0', id: 9, method: 'resources/subscribe', params: { uri } }, headers)).text()
    const notifications = { resourceSubscriptions: ['memo://a', 'memo://b'] }
    const streams = [
      await ask(test, undefined, headers, { method: 'GET' }),
      await postModern(test, 'subscriptions/listen', { notifications }, { headers: bearer(claims) }),
    ].map(messagesOf)
    expect(await streams[1]?.next()).toMatchObject({ value: { method: 'notifications/subscriptions/acknowledged' } })
    say(server)
    for (const uri of ['memo://b', 'memo://a/1'])
      for (const stream of streams) expect(await stream.next()).toMatchObject({ value: { params: { uri } } })
    await test.open({ ...AUTHENTICATION, authorization: { policies: [READ] } })
    say(server)
    for (const stream of streams)
      expect(await stream.next()).toMatchObject({ value: { params: { uri: 'memo://a/1' } } })
  })

  it('are not told to a client that comes back for them', async () => {
    await using test = await startWithIdentities({ authorization: { policies: [ALL] } })
    const server = await connect(test)
    const headers = await sessionOf(test, { sub: 'u1' })
    for (const uri of ['memo://a', 'memo://b'])
      await (await ask(test, { jsonrpc: '2.0', id: 9, method: 'resources/subscribe', params: { uri } }, headers)).text()
    say(server)
    await test.open({ ...AUTHENTICATION, authorization: { policies: [READ] } })
    const stream = messagesOf(await ask(test, undefined, headers, { method: 'GET' }))
    expect(await stream.next()).toMatchObject({ value: { params: { uri: 'memo://a/1' } } })
  })
})

it('streams of callers in good standing outlast a change of the workload, however many they are', async () => {
  await using test = await startWithIdentities()
  const server = await connect(test)
  const names = Array.from({ length: 130 }, (_, at) => `u${at}`)
  const streams: Response[] = []
  for (const sub of names) streams.push(await ask(test, undefined, await sessionOf(test, { sub }), { method: 'GET' }))
  const asked = test.provider.asked.count
  await test.open({ ...AUTHENTICATION, limits: { requestsPerMinute: 100_000 } })
  await vi.waitFor(() => expect(test.provider.asked.count).toBe(asked + names.length), 120_000)
  server.say({ method: 'notifications/tools/list_changed' })
  const told = await Promise.all(streams.map((stream) => messagesOf(stream).next()))
  for (const message of told) expect(message).toMatchObject({ value: { method: 'notifications/tools/list_changed' } })
}, 240_000)
