import { expect, it } from 'vitest'
import { ask, bearer, sessionOf, startWithIdentities, tokenOf, type TestIdentities } from '../test-identities.ts'

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
  const made = await statuses(test, 10, (at) => ({ authorization: `Bearer made-up-${at}` }))
  expect(made).toEqual([401, 401, 401, 401, 429, 429, 429, 429, 429, 429])
  const headers = await sessionOf(test, { sub: 'u1' })
  expect(await statuses(test, 4, () => headers)).toEqual([200, 200, 200, 429])
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
  await using test = await startWithIdentities({ limits: { requestsPerMinute: 2 } })
  await test.run()
  const made = await statuses(test, 3, (at) => ({ authorization: `Bearer made-up-${at}` }))
  expect(made).toEqual([401, 401, 429])
  const expired = bearer({ sub: 'u1', exp: Math.floor(Date.now() / 1000) - 3600 })
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
