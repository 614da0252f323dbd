import { expect, test } from 'vitest'
import { findLines, nextPlace, withLines } from './log-buffer.ts'

const line = (text: string) => ({ text })

test('a search goes from hit to hit and round again', () => {
  const places = findLines([line('one Error'), line('two'), line('three error')], 'ERROR')
  expect(places).toEqual([0, 2])
  expect(nextPlace(places, -1, 1)).toBe(0)
  expect(nextPlace(places, 0, 1)).toBe(2)
  expect(nextPlace(places, 2, 1)).toBe(0)
  expect(nextPlace(places, 0, -1)).toBe(2)
  expect(nextPlace([], 0, 1)).toBeUndefined()
})

test('a log without end keeps its newest lines', () => {
  const many = Array.from({ length: 100_000 }, (_, at) => line(`${at}`))
  const kept = withLines(many, [line('new')])
  expect(kept.length).toBe(100_000)
  expect(kept.at(-1)?.text).toBe('new')
  expect(kept[0]?.text).toBe('1')
})
