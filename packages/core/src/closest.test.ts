import { expect, test } from 'vitest'
import { closest } from './closest.ts'

const names = ['time', 'fetch', 'io.github.somebody/weather', 'com.example/fetch']

test.each([
  ['tiem', 'time'],
  ['fetch', 'fetch'],
  ['weather', 'io.github.somebody/weather'],
  ['wether', 'io.github.somebody/weather'],
  ['io.github.somebody/wether', 'io.github.somebody/weather'],
  ['other/weather', undefined],
  ['x', undefined],
])('%s means %s', (typed, meant) => {
  expect(closest(typed, names)).toBe(meant)
})
