import { expect, it } from 'vitest'
import { postModern } from './test-modern-post.ts'
import { bearer, startWithIdentities } from './test-identities.ts'
import { connectScripted } from './test-scripted-server.ts'

const MANY = Array.from({ length: 1000 }, (_, at) => `memo://${at}`)

it('all streams of a caller together listen to 5,000 resources at most, and those of others have their own bound', async () => {
  await using test = await startWithIdentities()
  // It takes its time for each of them.
  const { heard } = await connectScripted(test, () => undefined, { resources: { subscribe: true } })
  const gone = new AbortController()
  test.defer(() => gone.abort())
  const listen = (sub: string, uris: readonly string[], signal = gone.signal) =>
    postModern(
      test,
      'subscriptions/listen',
      { notifications: { resourceSubscriptions: uris } },
      { headers: bearer({ sub }), signal },
    )
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
