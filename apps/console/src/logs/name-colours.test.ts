import { expect, test } from 'vitest'
import { COLOURS, nameColours } from './name-colours.ts'

test('names keep their colours when others come and go, and no two share one while there are enough', () => {
  const first = nameColours(new Map(), ['a', 'b', 'c'])
  expect(new Set(first.values()).size).toBe(3)
  const next = nameColours(first, ['c', 'd', 'b'])
  expect([next.get('b'), next.get('c'), next.get('d')]).toEqual([first.get('b'), first.get('c'), first.get('a')])
  const many = nameColours(
    next,
    Array.from({ length: 3 * COLOURS }, (_, at) => `${at}`),
  )
  expect(Math.max(...many.values())).toBe(COLOURS - 1)
})
