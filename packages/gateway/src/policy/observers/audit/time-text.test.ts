import { expect, test } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { timeText } from './time-text.ts'

test('is what a date says of itself', () => {
  const times = fc.array(fc.integer({ min: 0, max: 4_000_000_000_000 }), { minLength: 1 })
  fc.assert(
    fc.property(times, fc.integer({ min: 0, max: 2500 }), (starts, step) => {
      const all = starts.flatMap((start) => [start, start + step, start + 1000 - (start % 1000)])
      expect(all.map((time) => timeText(time))).toEqual(all.map((time) => new Date(time).toISOString()))
    }),
  )
})
