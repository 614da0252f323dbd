import { expect, it } from 'vitest'
import { ask, bearer, sessionOf, startWithIdentities } from './support/identities.ts'

const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' }

it.each([
  ['without any name', {}],
  ['with a number', { sub: 7 }],
  ['with a list', { sub: ['u1'] }],
  ['with an empty text', { sub: '' }],
  ['with a number besides the name of a client', { sub: 7, client_id: 'app' }],
])('a token %s is refused', async (_what, claims) => {
  await using test = await startWithIdentities()
  await test.run()
  const response = await ask(test, LIST, bearer(claims))
  expect(response.status).toBe(401)
  expect(await response.text()).toContain('The token is refused')
})

it('the session of a user is not that of a client of the same name, nor the other way round', async () => {
  await using test = await startWithIdentities()
  await test.run()
  const user = { sub: 'u1' }
  const client = { client_id: 'u1' }
  for (const [own, other] of [
    [user, client],
    [client, user],
    [{ sub: 'u1', iss: 'https://one' }, user],
  ] as const) {
    const headers = await sessionOf(test, own)
    const status = async (claims: Record<string, unknown>) =>
      (await ask(test, LIST, { ...headers, ...bearer(claims) })).status
    expect(await status(other)).toBe(404)
    expect(await status(own)).toBe(200)
  }
  const ofClient = await sessionOf(test, client)
  for (const claims of [
    { sub: 'u1', client_id: 'u1' },
    { azp: 'u1', scope: 'x' },
  ])
    expect((await ask(test, LIST, { ...ofClient, ...bearer(claims) })).status).toBe(200)
})
