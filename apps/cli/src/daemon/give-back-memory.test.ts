import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { giveBackMemory } from './give-back-memory.ts'

const EVERY_MS = 1_000
const REST_MS = 3_000
let used: number
let collected: number
beforeEach(() => {
  vi.useFakeTimers()
  used = 0
  collected = 0
})
afterEach(() => vi.useRealTimers())

const begin = () =>
  giveBackMemory({
    everyMs: EVERY_MS,
    restMs: REST_MS,
    usedMs: () => used,
    collect: () => void ((used += 40), collected++),
  })

function pass(usedMs: number): void {
  used += usedMs
  vi.advanceTimersByTime(EVERY_MS)
}

function pause(seconds: number): void {
  for (let second = 0; second < seconds; second++) pass(5)
}

test('what the start needed is given back after a rest, and once only', () => {
  using _ = begin()
  pass(900)
  pass(30)
  pause(2)
  expect(collected).toBe(0)
  pause(1)
  expect(collected).toBe(1)
  pause(10)
  expect(collected).toBe(1)
})

test('again after work, never during it, nor in the pauses between calls', () => {
  using _ = begin()
  pause(3)
  for (let call = 0; call < 10; call++) {
    pass(500)
    pause(2)
  }
  expect(collected).toBe(1)
  pause(1)
  expect(collected).toBe(2)
})

test('not for a little', () => {
  using _ = begin()
  pause(3)
  pass(30)
  pause(10)
  expect(collected).toBe(1)
})

test('nothing any more when the daemon stops', () => {
  begin()[Symbol.dispose]()
  pause(10)
  expect(collected).toBe(0)
})

test('the room for garbage is smaller afterwards', () => {
  vi.useRealTimers()
  const kept = Array.from({ length: 200_000 }, (_, at) => ({ at }))
  const before = process.memoryUsage().heapTotal
  kept.length = 0
  vi.useFakeTimers()
  using _ = giveBackMemory({ everyMs: EVERY_MS, restMs: REST_MS, usedMs: () => 0 })
  vi.advanceTimersByTime(REST_MS)
  expect(process.memoryUsage().heapTotal).toBeLessThan(before)
})
