import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, it } from 'vitest'
import { connectClient, startGateway, type TestClient } from './support/gateway.ts'

function logOf(client: TestClient): unknown[] {
  const seen: unknown[] = []
  client.v1?.setNotificationHandler(
    LoggingMessageNotificationSchema,
    (notification) => void seen.push(notification.params.data),
  )
  return seen
}

it('log messages of a call reach its caller only, from the level it chose', async () => {
  await using test = await startGateway()
  await test.open()
  await test.run()
  const [a, b] = [await connectClient(test, 'v1 http'), await connectClient(test, 'v1 sse')]
  const [seenByA, seenByB] = [logOf(a), logOf(b)]
  await a.v1?.setLoggingLevel('error')
  await b.v1?.setLoggingLevel('debug')
  await a.call('log', { text: 'too quiet for a', level: 'info' })
  await a.call('log', { text: 'for a', level: 'error' })
  await b.call('log', { text: 'for b', level: 'info' })
  await expect.poll(() => seenByA).toEqual(['for a'])
  await expect.poll(() => seenByB).toEqual(['for b'])
  expect(JSON.parse(await a.call('stats'))).toMatchObject({ level: 'debug' })
})

it('a log message that two clients may have caused is shown to neither', async () => {
  await using test = await startGateway()
  await test.open()
  await test.run()
  const [a, b] = [await connectClient(test, 'v1 sse'), await connectClient(test, 'v1 sse')]
  const [seenByA, seenByB] = [logOf(a), logOf(b)]
  const sleeping = b.call('sleep', { ms: 1500, text: 'b' })
  await expect.poll(async () => JSON.parse(await a.call('stats')).sleeping).toBe(1)
  await a.call('log', { text: 'whose?', level: 'error' })
  expect(await sleeping).toBe('b')
  // Both streams are in order: anything sent before these answers would be here by now.
  await Promise.all([a.call('echo', { text: 'x' }), b.call('echo', { text: 'x' })])
  expect([seenByA, seenByB]).toEqual([[], []])
})

it('the gateway leaves alone what clients say of requests that are not theirs', async () => {
  await using test = await startGateway()
  await test.open()
  await test.run()
  const [a, b] = [await connectClient(test, 'v1 http'), await connectClient(test, 'v1 http')]
  const sleeping = a.call('sleep', { ms: 300, text: 'undisturbed' })
  await expect.poll(async () => JSON.parse(await b.call('stats')).sleeping).toBe(1)
  for (let requestId = 0; requestId < 10; requestId++)
    await b.v1?.notification({ method: 'notifications/cancelled', params: { requestId } })
  expect(await sleeping).toBe('undisturbed')
  expect(JSON.parse(await b.call('stats'))).toMatchObject({ cancelled: 0 })
})
