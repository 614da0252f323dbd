import { expect, it } from 'vitest'
import { until } from '@toolhaven/testing/testbed/until'
import { postModern } from './support/modern-post.ts'
import { bearer, startWithIdentities } from './support/identities.ts'
import { NAME, never, type TestGateway } from './support/gateway.ts'
import { connectScripted, DISCOVERED, scriptedServer } from './support/scripted-server.ts'

const MANY = Array.from({ length: 1000 }, (_, at) => `memo://${at}`)

const listenAs =
  (test: TestGateway, usual: AbortSignal) =>
  (sub: string, uris: readonly string[], signal = usual) =>
    postModern(
      test,
      'subscriptions/listen',
      { notifications: { resourceSubscriptions: uris } },
      { headers: bearer({ sub }), signal },
    )

it('all streams of a caller together listen to 5,000 resources at most, and those of others have their own bound', async () => {
  await using test = await startWithIdentities()
  // It takes time for each of them.
  const { heard } = await connectScripted(test, () => undefined, { resources: { subscribe: true } })
  const gone = new AbortController()
  test.defer(() => gone.abort())
  const listen = listenAs(test, gone.signal)
  const subscribed = () => heard.filter(({ method }) => method === 'resources/subscribe').length
  for (let count = 1; count <= 5; count++) {
    void listen('one', MANY).catch(() => undefined)
    await expect.poll(subscribed, { timeout: 20_000 }).toBe(count)
  }
  const refused = await listen('one', ['memo://more'], AbortSignal.timeout(20_000))
  expect(refused.status).toBe(400)
  expect(await refused.text()).toContain('together may have 5000 subscriptions')
  void listen('two', MANY).catch(() => undefined)
  await expect.poll(subscribed, { timeout: 20_000 }).toBe(6)
})

it('the bound holds at a server without sessions too, and counts streams that are open', async () => {
  await using test = await startWithIdentities()
  const { channel, heard } = scriptedServer(({ method }) => (method === 'server/discover' ? DISCOVERED : undefined))
  await test.gateway.connect(NAME, { kind: 'stdio', channel, processId: 'p', start: async () => {} }, never)
  const [gone, first] = [new AbortController(), new AbortController()]
  test.defer(() => gone.abort())
  const listen = listenAs(test, gone.signal)
  const listened = () => heard.filter(({ method }) => method === 'subscriptions/listen')
  for (let count = 1; count <= 5; count++) {
    void listen('one', MANY, count === 1 ? first.signal : gone.signal).catch(() => undefined)
    await expect.poll(() => listened().length, { timeout: 20_000 }).toBe(count)
  }
  const refused = await listen('one', ['memo://more'])
  expect(refused.status).toBe(400)
  expect(await refused.text()).toContain('together may have 5000 subscriptions')
  void listen('two', MANY).catch(() => undefined)
  await expect.poll(() => listened().length, { timeout: 20_000 }).toBe(6)
  first.abort()
  const isHeard = async () => {
    const refusal = listen('one', MANY).then(() => false)
    const arrival = until('the seventh', () => listened().length === 7)
    return Promise.race([refusal, arrival])
  }
  await until('room for others', isHeard)
})
