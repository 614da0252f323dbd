import { expect, it } from 'vitest'
import { KeptBytes, type Keeper } from './kept-bytes.ts'

/** Keeps pieces of one size. */
function keeperIn(whole: KeptBytes, size: number, isSpare = false): Keeper & { keep: () => void } {
  const keeper = {
    ...{ bytes: 0, isSpare },
    keep: () => {
      keeper.bytes += size
      whole.count(keeper, size)
    },
    giveUp: () => {
      keeper.bytes -= size
      whole.count(keeper, -size)
    },
  }
  return keeper
}

it('takes from the keeper with the most bytes, not from others', () => {
  const workload = new KeptBytes(1000)
  const small = keeperIn(workload, 10)
  const large = keeperIn(workload, 100)
  for (let i = 0; i < 10; i++) small.keep()
  for (let i = 0; i < 100; i++) large.keep()
  expect([small.bytes, large.bytes, workload.bytes]).toEqual([100, 900, 1000])
})

it('takes from the workload with the most bytes once all have too many', () => {
  const all = new KeptBytes(1500)
  const one = keeperIn(new KeptBytes(1000, all), 100)
  const other = keeperIn(new KeptBytes(1000, all), 100)
  for (let i = 0; i < 6; i++) one.keep()
  for (let i = 0; i < 20; i++) other.keep()
  expect([one.bytes, other.bytes, all.bytes]).toEqual([600, 900, 1500])
})

it('takes what is kept only for resuming before anything else', () => {
  const workload = new KeptBytes(1000)
  const unread = keeperIn(workload, 100)
  const sent = keeperIn(workload, 10, true)
  for (let i = 0; i < 10; i++) sent.keep()
  for (let i = 0; i < 10; i++) unread.keep()
  expect([unread.bytes, sent.bytes]).toEqual([1000, 0])
  unread.keep()
  expect(unread.bytes).toBe(1000)
})
