import { expect, it } from 'vitest'
import { identities, tokenOf } from '../../test/support/identities.ts'
import { KnownTokens } from './known-tokens.ts'
import { createTokenCheck } from './token-check.ts'
import { ProviderUnavailable } from './token-problem.ts'

function start(introspectedMs = 60_000) {
  const provider = identities()
  const check = createTokenCheck({
    fetch: provider.fetch,
    introspectionUrl: 'https://id.example.com/introspect',
    audiences: ['https://mcp.example.com'],
    times: { introspectedMs },
  })
  const verdict = async (token: string, from = '192.0.2.1') => check(token, KnownTokens.keyOf(token), { from })
  return { provider, verdict }
}

it('made-up tokens reach the provider a few at a time, and no more of them than can wait', async () => {
  const { provider, verdict } = start()
  const made = await Promise.allSettled(Array.from({ length: 300 }, (_, at) => verdict(`made-up-${at}`)))
  expect(provider.asked.most).toBeLessThanOrEqual(8)
  expect(provider.asked.count).toBeLessThanOrEqual(108)
  const turnedAway = made.filter((outcome) => outcome.status === 'rejected')
  expect(turnedAway.length + provider.asked.count).toBe(300)
  expect(turnedAway.every(({ reason }) => reason instanceof ProviderUnavailable)).toBe(true)
})

it('a caller who was known before is not kept waiting by them', async () => {
  const { provider, verdict } = start(0)
  const token = tokenOf({ sub: 'u1' })
  await verdict(token)
  const made = Promise.allSettled(Array.from({ length: 300 }, (_, at) => verdict(`made-up-${at}`)))
  expect(await verdict(token)).toMatchObject({ caller: { name: 'u1' } })
  expect(provider.asked.count).toBeLessThan(30)
  await made
})

it('however many tokens one address makes up, newcomers from another get in', async () => {
  const { provider, verdict } = start()
  const made = Promise.allSettled(Array.from({ length: 300 }, (_, at) => verdict(`made-up-${at}`)))
  const newcomers = Array.from({ length: 10 }, (_, at) => verdict(tokenOf({ sub: `u${at}` }), '192.0.2.2'))
  for (const newcomer of newcomers) expect(await newcomer).toHaveProperty('caller')
  // They also need not wait until all others had their turn.
  expect(provider.asked.count).toBeLessThan(60)
  await made
})

it('made-up tokens do not make the gateway forget a good one', async () => {
  const { provider, verdict } = start()
  const token = tokenOf({ sub: 'u1' })
  await verdict(token)
  for (let at = 0; at < 10_100; at += 100)
    await Promise.all(Array.from({ length: 100 }, (_, more) => verdict(`a.${at + more}`)))
  const before = provider.asked.count
  await verdict(token)
  expect(provider.asked.count).toBe(before)
}, 60_000)
