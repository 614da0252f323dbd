import { describe, expect, test } from 'vitest'
import { fc } from './properties.ts'
import { rotationFrom, sample, slowed } from './rotation.ts'

const cells = fc.uniqueArray(fc.integer(), { minLength: 1, maxLength: 40 })
const count = fc.integer({ min: 1, max: 45 })
const round = fc.nat(100_000)

describe('sample', () => {
  test('takes every cell in a full run', () => {
    fc.assert(
      fc.property(cells, count, round, (all, some, at) => {
        expect(sample(all, some, { full: true, round: at })).toEqual(all)
      }),
    )
  })

  test('takes as many different cells as asked for, and the same ones again in the same round', () => {
    fc.assert(
      fc.property(cells, count, round, (all, some, at) => {
        const taken = sample(all, some, { full: false, round: at })
        expect(new Set(taken).size).toBe(Math.min(some, all.length))
        expect(taken).toEqual(sample(all, some, { full: false, round: at }))
      }),
    )
  })

  test('has taken every cell once enough consecutive rounds went by', () => {
    fc.assert(
      fc.property(cells, count, round, (all, some, from) => {
        const rounds = Math.ceil(all.length / some)
        const seen = Array.from({ length: rounds }, (_, step) => sample(all, some, { full: false, round: from + step }))
        expect(new Set(seen.flat())).toEqual(new Set(all))
      }),
    )
  })

  test('takes one cell when none is asked for', () => {
    expect(sample(['a', 'b'], 0, { full: false, round: 1 })).toEqual(['b'])
  })
})

test('every cell of a slowed matrix meets every cell of the one around it', () => {
  const [outer, inner] = [
    ['a', 'b', 'c', 'd', 'e', 'f'],
    [1, 2, 3],
  ]
  const met = Array.from({ length: 18 }, (_, round) => {
    const rotation = { full: false, round }
    return [...sample(outer, 1, rotation), ...sample(inner, 1, slowed(outer.length, rotation))].join(' ')
  })
  expect(new Set(met).size).toBe(18)
})

describe('rotationFrom', () => {
  test('is the first round of a sampled run when nothing is set', () => {
    expect(rotationFrom({})).toEqual({ full: false, round: 0 })
  })

  test('refuses a rotation that is not a whole number', () => {
    expect(() => rotationFrom({ THV_TEST_ROTATION: 'monday' })).toThrow('not monday')
  })
})
