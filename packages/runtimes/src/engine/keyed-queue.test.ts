import { expect, test } from 'vitest'
import { createKeyedQueue } from './keyed-queue.ts'

const never = new AbortController().signal

test('tasks of one key run one after another, those of others at once', async () => {
  const queue = createKeyedQueue()
  const seen: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = queue(
    'a',
    async () => {
      seen.push('a1 begins')
      await gate.promise
      seen.push('a1 ends')
    },
    never,
  )
  const second = queue('a', () => Promise.resolve(void seen.push('a2')), never)
  await queue('b', () => Promise.resolve(void seen.push('b')), never)
  gate.resolve()
  await Promise.all([first, second])
  expect(seen).toEqual(['a1 begins', 'b', 'a1 ends', 'a2'])
})

test('a failure does not hold up the next', async () => {
  const queue = createKeyedQueue()
  const failing = queue('a', () => Promise.reject(new Error('no')), never)
  const next = queue('a', () => Promise.resolve('yes'), never)
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('yes')
})

test('one that gives up waiting neither runs nor lets the next overtake', async () => {
  const queue = createKeyedQueue()
  const gate = Promise.withResolvers<void>()
  let firstEnded = false
  const first = queue('a', () => gate.promise.then(() => void (firstEnded = true)), never)
  const impatient = new AbortController()
  let ran = false
  const second = queue('a', () => Promise.resolve(void (ran = true)), impatient.signal)
  const third = queue('a', () => Promise.resolve(firstEnded), never)
  impatient.abort(new Error('enough'))
  await expect(second).rejects.toThrow('enough')
  gate.resolve()
  await first
  expect(await third).toBe(true)
  expect(ran).toBe(false)
})
