import { expect, test } from 'vitest'
import { matchOutput } from './match-output.ts'

test.each([
  { name: 'equal text', expected: 'one\ntwo', actual: 'one\ntwo\n' },
  {
    name: 'other white space and blank lines',
    expected: 'NAME STATUS\n\ntime running',
    actual: '\nNAME   STATUS\ntime\trunning\n\n',
  },
  { name: 'any text inside a line', expected: 'at http://127.0.0.1:…/mcp', actual: 'at http://127.0.0.1:4711/mcp' },
  { name: 'any lines, also none', expected: 'one\n…\ntwo\n…', actual: 'one\ntwo' },
  { name: 'the last of several places that fit', expected: '…\nb\nc', actual: 'b\na\nb\nc' },
  {
    name: 'signs that mean something to a pattern',
    expected: 'a.b (c) [d] $e ^f {g} |h \\i + * ?',
    actual: 'a.b (c) [d] $e ^f {g} |h \\i + * ?',
  },
  { name: 'nothing at all', expected: '', actual: '\n' },
])('$name is taken as the same', ({ expected, actual }) => {
  expect(matchOutput(expected, actual)).toBeUndefined()
})

test.each([
  { name: 'another line', expected: 'one\n\ntwo', actual: 'one\nthree', at: 2, got: 'three' },
  { name: 'a missing line', expected: 'one\ntwo', actual: 'one', at: 1, got: '(the output ended)' },
  { name: 'a line too many', expected: 'one', actual: 'one\ntwo', at: 1, got: 'two' },
  { name: 'the wrong order', expected: 'two\none', actual: 'one\ntwo', at: 0, got: 'one' },
  { name: 'a dot that is not there', expected: 'a.b', actual: 'axb', at: 0, got: 'axb' },
  { name: 'text before a line that has its end only', expected: '… b', actual: 'a b c', at: 0, got: 'a b c' },
  { name: 'lines between that no sign allows', expected: 'a\n…\nb', actual: 'a\nb\nc', at: 3, got: 'c' },
])('$name is told', ({ expected, actual, at, got }) => {
  expect(matchOutput(expected, actual)).toMatchObject({ at, got })
})
