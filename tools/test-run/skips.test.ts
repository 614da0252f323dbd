import { expect, test } from 'vitest'
import { unexpectedSkips } from './skips.ts'

const expected = [{ where: /process/, reason: /has no engine/, because: 'it has none' }]
const known = { test: 'process.test.ts > starts', reason: 'it has no engine' }
const elsewhere = { test: 'docker.test.ts > starts', reason: 'it has no engine' }
const silent = { test: 'process.test.ts > stops', reason: undefined }

test('a skip without a reason always fails the run', () => {
  expect(unexpectedSkips([silent, { ...silent, reason: ' ' }], expected, false)).toHaveLength(2)
})

test('a skip with a reason passes on a machine that is not the gate', () => {
  expect(unexpectedSkips([known, elsewhere], expected, false)).toEqual([])
})

test('on the gate only the expected reason in the expected place passes', () => {
  expect(unexpectedSkips([known, elsewhere], expected, true)).toEqual([elsewhere])
})
