import { expect, test } from 'vitest'
import { createLimiter } from './limiter.ts'

const never = new AbortController().signal
const turn = () => new Promise((resolve) => setImmediate(resolve))

function gated() {
  const gate = Promise.withResolvers<string>()
  const state = { hasBegun: false }
  const work = () => {
    state.hasBegun = true
    return gate.promise
  }
  return { gate, state, work }
}

test('at most so many work at a time, the others in their order', async () => {
  const limit = createLimiter(2)
  const works = [gated(), gated(), gated(), gated()]
  const results = works.map(({ work }) => limit(work, never))
  await turn()
  expect(works.map(({ state }) => state.hasBegun)).toEqual([true, true, false, false])
  works[1]?.gate.resolve('b')
  await turn()
  expect(works.map(({ state }) => state.hasBegun)).toEqual([true, true, true, false])
  for (const [at, { gate }] of works.entries()) gate.resolve(['a', 'b', 'c', 'd'][at] ?? '')
  expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd'])
})

test('a failure makes room too', async () => {
  const limit = createLimiter(1)
  await expect(
    limit(async () => {
      throw new Error('no')
    }, never),
  ).rejects.toThrow('no')
  expect(await limit(async () => 'yes', never)).toBe('yes')
})

test('who gives up while waiting never begins and takes no place', async () => {
  const limit = createLimiter(1)
  const first = gated()
  const second = gated()
  const third = gated()
  const leave = new AbortController()
  const results = [
    limit(first.work, never),
    limit(second.work, leave.signal).catch((error: unknown) => error),
    limit(third.work, never),
  ]
  await turn()
  leave.abort(new Error('superseded'))
  first.gate.resolve('1')
  third.gate.resolve('3')
  expect(await Promise.all(results)).toEqual(['1', new Error('superseded'), '3'])
  expect(second.state.hasBegun).toBe(false)
})

test('a turn that comes together with giving up is not lost', async () => {
  const limit = createLimiter(1)
  const first = gated()
  const leave = new AbortController()
  const results = [limit(first.work, never), limit(async () => 'second', leave.signal).catch(() => 'gave up')]
  await turn()
  first.gate.resolve('1')
  await results[0]
  leave.abort()
  await results[1]
  expect(
    await Promise.race([
      limit(async () => 'third', never),
      turn()
        .then(turn)
        .then(() => 'stuck'),
    ]),
  ).toBe('third')
})

test('who gave up before does not begin', async () => {
  const { work, state } = gated()
  await expect(createLimiter(1)(work, AbortSignal.abort(new Error('late')))).rejects.toThrow('late')
  expect(state.hasBegun).toBe(false)
})
