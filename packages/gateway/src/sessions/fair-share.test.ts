import { describe, expect, it } from 'vitest'
import { whoMakesRoom } from './fair-share.ts'
import { ParkedCalls } from '../clients/stateless/parked-calls.ts'
import { ask, bearer, sessionOf, startWithIdentities, type TestIdentities } from '../../test/support/identities.ts'
import { postModern } from '../../test/support/modern-post.ts'
import { connectScripted } from '../../test/support/scripted-server.ts'

const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
const ONE = { sub: 'one' }
const TWO = { sub: 'two' }

it('who has the most makes room, and who asks rather than one who has as much', () => {
  expect(whoMakesRoom(['a', 'b', 'b'], 'a')).toBe('b')
  expect(whoMakesRoom(['a', 'a', 'b'], 'a')).toBe('a')
  expect(whoMakesRoom(['a', 'b'], 'b')).toBe('b')
  expect(whoMakesRoom(['a', 'b'], 'c')).toBe('a')
  expect(whoMakesRoom([undefined, undefined, 'b'], 'b')).toBeUndefined()
})

describe('a caller who takes all there is', () => {
  const start = () => startWithIdentities({}, { limits: { maxSessions: 10 } })
  const status = async (test: TestIdentities, headers: Record<string, string>) =>
    (await ask(test, LIST, headers)).status

  it('loses their own oldest sessions, and not those of others', async () => {
    await using test = await start()
    await test.run()
    const theirs = await sessionOf(test, ONE)
    const own = []
    for (let i = 0; i < 30; i++) own.push(await sessionOf(test, TWO))
    expect(await status(test, theirs)).toBe(200)
    expect(await status(test, own[0] ?? {})).toBe(404)
    expect(await status(test, own.at(-1) ?? {})).toBe(200)
  })

  it.each(['GET /sse', 'subscriptions/listen'])('with streams of %s does not keep others out', async (kind) => {
    await using test = await start()
    await connectScripted(test, () => ({ result: { tools: [] } }), { tools: { listChanged: true } })
    const notifications = { toolsListChanged: true }
    const open = (claims: Record<string, unknown>) =>
      kind === 'GET /sse'
        ? ask(test, undefined, bearer(claims), { method: 'GET', path: '/sse' })
        : postModern(test, 'subscriptions/listen', { notifications }, { headers: bearer(claims) })
    const first = await open(TWO)
    for (let i = 0; i < 15; i++) expect((await open(TWO)).status).toBe(200)
    await first.text()
    const headers = await sessionOf(test, ONE)
    expect(await status(test, headers)).toBe(200)
    for (let i = 0; i < 15; i++) await open(TWO)
    expect(await status(test, headers)).toBe(200)
  })
})

it('calls that wait for an answer make room among those of the same caller', () => {
  const parked = new ParkedCalls()
  const expired: string[] = []
  const park = (owner: string, at = 0) =>
    parked.park({ resume: () => {}, expire: () => void expired.push(`${owner} ${at}`) }, 'mark', owner)
  const theirs = park('one')
  for (let at = 0; at < 1_001; at++) park('two', at)
  expect(expired).toEqual(['two 0', 'two 1'])
  expect(parked.take(theirs, 'mark')).toBeDefined()
  parked.clear()
})
