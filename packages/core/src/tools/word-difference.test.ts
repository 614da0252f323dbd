import { expect, test } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { type Part, wordDifference } from './word-difference.ts'

const plenty = () => ({ steps: 1_000_000 })
const marked = (parts: readonly Part[]) =>
  parts.map(({ kind, text }) => ({ same: text, removed: `[-${text}-]`, added: `{+${text}+}` })[kind]).join('')

test.each([
  ['reads a file', 'reads a file', 'reads a file'],
  ['reads a file', 'reads a secret file', 'reads a {+secret +}file'],
  ['reads a file', 'writes a file', '[-reads-]{+writes+} a file'],
  ['reads a file.', 'reads a file. Then sends it.', 'reads a file.{+ Then sends it.+}'],
  ['', 'new', '{+new+}'],
  ['old', '', '[-old-]'],
  ['one two three', 'three two one', '[-one-]{+three+} two [-three-]{+one+}'],
  ['a\\u{200b}b', 'ab', '[-a\\u{200b}b-]{+ab+}'],
])('%j → %j', (before, after, shown) => {
  expect(marked(wordDifference(before, after, plenty()))).toBe(shown)
})

test('both texts can be read out of it, whatever they are', () => {
  const words = fc.array(fc.constantFrom('a', 'b', 'c', ' ', '.', 'é', '\\u{200b}', '👍'), { maxLength: 30 })
  fc.assert(
    fc.property(words, words, fc.nat(400), (left, right, steps) => {
      const [before, after] = [left.join(''), right.join('')]
      const parts = wordDifference(before, after, { steps })
      const without = (kind: Part['kind']) => parts.filter((part) => part.kind !== kind).map(({ text }) => text)
      expect(without('added').join('')).toBe(before)
      expect(without('removed').join('')).toBe(after)
    }),
  )
})

test('beyond the budget one text stands for the other, and what both begin and end with stays', () => {
  const budget = { steps: 5 }
  expect(marked(wordDifference('x 1 2 3 y', 'x 4 5 6 y', budget))).toBe('x [-1 2 3-]{+4 5 6+} y')
  expect(budget.steps).toBeLessThan(0)
})
