import { expect, it } from 'vitest'
import {
  ask,
  bearer,
  sessionOf,
  startWithIdentities,
  tokenOf,
  type TestIdentities,
} from '../../../test/support/identities.ts'

const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' }

async function statuses(test: TestIdentities, count: number, headers: (at: number) => Record<string, string>) {
  const found: number[] = []
  for (let at = 0; at < count; at++) {
    const response = await ask(test, LIST, headers(at))
    await response.text()
    found.push(response.status)
  }
  return found
}

it('made-up tokens spend nothing of what callers may send, and are limited by address', async () => {
  await using test = await startWithIdentities({ limits: { requestsPerMinute: 4 } })
  await test.run()
  const headers = await sessionOf(test, { sub: 'u1' })
  const before = test.provider.asked.count
  const made = await statuses(test, 10, (at) => ({ authorization: `Bearer made-up-${at}` }))
  expect(made).toEqual([401, 401, 401, 401, 429, 429, 429, 429, 429, 429])
  // Callers over the limit are refused before the provider hears of their tokens.
  expect(test.provider.asked.count - before).toBe(4)
  expect(await statuses(test, 4, () => headers)).toEqual([200, 200, 200, 429])
})

it('made-up tokens that come at the same time reach the provider no more often than the limit says', async () => {
  await using test = await startWithIdentities({ limits: { clientRequestsPerMinute: 5 } })
  await test.run()
  const made = Array.from({ length: 40 }, (_, at) =>
    statuses(test, 1, () => ({ authorization: `Bearer made-up-${at}` })),
  )
  expect((await Promise.all(made)).flat().filter((status) => status === 401)).toHaveLength(5)
  expect(test.provider.asked.count).toBe(5)
})

it('newcomers with good tokens spend nothing of what strangers from their address may try', async () => {
  await using test = await startWithIdentities({ limits: { clientRequestsPerMinute: 3 } })
  await test.run()
  for (let at = 0; at < 8; at++) await sessionOf(test, { sub: `u${at}` })
})

it('those who are turned away because the provider does not answer count as strangers', async () => {
  const identityFetch = () => () => Promise.reject(new Error('away'))
  await using test = await startWithIdentities({ limits: { clientRequestsPerMinute: 3 } }, { identityFetch })
  await test.run()
  const made = await statuses(test, 5, (at) => ({ authorization: `Bearer made-up-${at}` }))
  expect(made).toEqual([503, 503, 503, 429, 429])
})

it('a caller has one limit, whatever their tokens and sessions, and others have their own', async () => {
  await using test = await startWithIdentities({ limits: { clientRequestsPerMinute: 6 } })
  await test.run()
  const sessions = [await sessionOf(test, { sub: 'u1' }), await sessionOf(test, { sub: 'u1', scope: 'b' })]
  const seen = await statuses(test, 6, (at) => ({
    ...sessions[at % 2],
    authorization: `Bearer ${tokenOf({ sub: 'u1', scope: `${at}` })}`,
  }))
  expect(seen).toEqual([200, 200, 200, 200, 429, 429])
  const other = await sessionOf(test, { client_id: 'u1' })
  expect(await statuses(test, 1, () => ({ ...other, ...bearer({ client_id: 'u1' }) }))).toEqual([200])
})

it('callers whose token has expired are told so, however many strangers share their address', async () => {
  const tokenTimes = { skewMs: 0, introspectedMs: 0, refusedMs: 0 }
  await using test = await startWithIdentities({ limits: { requestsPerMinute: 2 } }, { tokenTimes })
  await test.run()
  const expired = bearer({ sub: 'u1', exp: Math.floor(Date.now() / 1000) + 3 })
  expect(await statuses(test, 1, () => expired)).toEqual([400])
  const made = await statuses(test, 3, (at) => ({ authorization: `Bearer made-up-${at}` }))
  expect(made).toEqual([401, 401, 429])
  const isExpired = async () => (await statuses(test, 1, () => expired))[0] === 401
  await expect.poll(isExpired, { timeout: 20_000 }).toBe(true)
  expect(await statuses(test, 4, () => expired)).toEqual([401, 401, 401, 401])
})

it('strangers who come too often still learn where tokens come from', async () => {
  await using test = await startWithIdentities({ limits: { requestsPerMinute: 1 } })
  await test.run()
  await (await ask(test, LIST, {})).text()
  const refused = await ask(test, LIST, {})
  expect(refused.status).toBe(429)
  expect(refused.headers.get('www-authenticate')).toContain('resource_metadata')
})
