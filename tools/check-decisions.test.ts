import { expect, test } from 'vitest'
import { indexProblems, numberProblems } from './check-decisions.ts'

const decisions = new Map([
  ['0001-one.md', '# 0001 The first\n'],
  ['0002-two.md', '# 0002 The second\n'],
])
const FIRST = '* [0001](0001-one.md) The first'
const SECOND = '* [0002](0002-two.md) The second'

test('accepts an index with every decision, in order', () => {
  expect(indexProblems(`## Index\n\n${FIRST}\n${SECOND}\n`, decisions)).toEqual([])
})

test.each([
  ['a missing decision', FIRST, /lacks.*0002/],
  ['another title', `${FIRST}\n${SECOND} place`, /no decision has.*place/],
  ['a decision that is gone', `${FIRST}\n${SECOND}\n* [0003](0003-gone.md) Gone`, /no decision has.*0003/],
  ['another order', `${SECOND}\n${FIRST}`, /order/],
])('finds %s in the index', (_what, index, problem) => {
  expect(indexProblems(index, decisions)).toContainEqual(expect.stringMatching(problem))
})

test('finds a decision whose heading has another number', () => {
  const wrong = new Map([['0003-three.md', '# 3. The third\n']])
  expect(indexProblems('* [0003](0003-three.md) The third', wrong)).toContainEqual(expect.stringContaining('0003'))
})

test.each([
  ['(decision 0009)', 'there is no decision 0009'],
  ['(decisions 0001 and 0009)', 'there is no decision 0009'],
  ['as [decision 0009](../elsewhere.md) says', 'there is no decision 0009'],
  ['([decision 0001](docs/decisions/0002-two.md))', '"decision 0001" leads to decision 0002'],
  ['[0002](0001-one.md)', '"0002" leads to decision 0001'],
])('finds what is wrong in %s', (text, problem) => {
  expect(numberProblems('a.md', text, decisions)).toEqual([`a.md: ${problem}`])
})

test.each(['(decisions 0001 and 0002)', '[decision 0001](docs/decisions/0001-one.md)', 'port 9009, since 2025'])(
  'accepts %s',
  (text) => {
    expect(numberProblems('a.md', text, decisions)).toEqual([])
  },
)
