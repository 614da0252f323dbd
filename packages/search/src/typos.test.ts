import { expect, it } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { allowedTypos, createTypoCounter } from './typos.ts'

const count = createTypoCounter()

it.each([
  ['server', 'server', 0],
  ['sever', 'server', 1],
  ['serverr', 'server', 1],
  ['sarver', 'server', 1],
  ['sevrer', 'server', 1],
  ['srvr', 'server', 2],
  ['client', 'server', undefined],
])('between %s and %s there are %s errors', (typed, term, errors) => {
  expect(count(typed, term, 2, false)).toBe(errors)
})

it('compares only the beginning for an unfinished word', () => {
  expect(count('netwro', 'networking', 1, true)).toBe(1)
  expect(count('netwro', 'networking', 1, false)).toBeUndefined()
})

it('allows one error from four letters and two from eight', () => {
  expect([3, 4, 7, 8].map(allowedTypos)).toEqual([0, 1, 1, 2])
})

it('finds one error, or none, after one letter was changed, wherever that was', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{1,80}$/), fc.nat(), (term, at) => {
      const place = at % term.length
      expect(count(`${term.slice(0, place)}#${term.slice(place + 1)}`, term, 1, false)).toBe(1)
      expect(count(term, term, 0, false)).toBe(0)
    }),
  )
})
