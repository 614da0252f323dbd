import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { giveBackMemory } from './give-back-memory.ts'

const EVERY_MS = 1_000
let used: number
let collected: number
beforeEach(() => {
  vi.useFakeTimers()
  used = 0
  collected = 0
})
afterEach(() => vi.useRealTimers())

const begin = () =>
  giveBackMemory({ everyMs: EVERY_MS, usedMs: () => used, collect: () => void ((used += 40), collected++) })

function pass(usedMs: number): void {
  used += usedMs
  vi.advanceTimersByTime(EVERY_MS)
}

test('what the start needed is given back once it is quiet, and once only', () => {
  using _ = begin()
  pass(900)
  pass(30)
  expect(collected).toBe(0)
  for (let second = 0; second < 10; second++) pass(5)
  expect(collected).toBe(1)
})

test('again after work, never during it, and not for a little', () => {
  using _ = begin()
  pass(5)
  for (let second = 0; second < 10; second++) pass(500)
  expect(collected).toBe(1)
  pass(5)
  expect(collected).toBe(2)
  pass(30)
  pass(5)
  expect(collected).toBe(2)
})

test('nothing any more when the daemon stops', () => {
  begin()[Symbol.dispose]()
  pass(5)
  expect(collected).toBe(0)
})

test('the room for garbage is smaller afterwards', () => {
  vi.useRealTimers()
  const kept = Array.from({ length: 200_000 }, (_, at) => ({ at }))
  const before = process.memoryUsage().heapTotal
  kept.length = 0
  vi.useFakeTimers()
  using _ = giveBackMemory({ everyMs: EVERY_MS, usedMs: () => 0 })
  vi.advanceTimersByTime(EVERY_MS)
  expect(process.memoryUsage().heapTotal).toBeLessThan(before)
})
