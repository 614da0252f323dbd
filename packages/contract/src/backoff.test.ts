import { expect, test } from 'vitest'
import { Backoff, backoffMs } from './backoff.ts'

const range = { firstMs: 1_000, longestMs: 60_000 }

test('each failure doubles the pause, up to the longest, however many there were', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7, 8, 50, 5_000].map((failures) => backoffMs(failures, range))).toEqual(
    [1, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60].map((seconds) => seconds * 1_000),
  )
})

test('pauses begin small again after a try that worked', () => {
  const backoff = new Backoff(range)
  expect([backoff.next(), backoff.next(), backoff.ms, backoff.next()]).toEqual([1_000, 2_000, 4_000, 4_000])
  backoff.reset()
  expect([backoff.ms, backoff.next(), backoff.next()]).toEqual([1_000, 1_000, 2_000])
})

test('a smaller factor looks more often', () => {
  const backoff = new Backoff({ firstMs: 100, longestMs: 200, factor: 1.5 })
  expect([backoff.next(), backoff.next(), backoff.next()]).toEqual([100, 150, 200])
})
