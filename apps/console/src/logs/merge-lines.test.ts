import { expect, test } from 'vitest'
import { chooseLines, mergeLines } from './merge-lines.ts'

const of = (workload: string, ...times: (string | undefined)[]) =>
  times.map((time, at) => ({ workload, text: `${workload}${at}`, ...(time !== undefined && { time }) }))
const words = (lines: readonly { text: string }[]) => lines.map(({ text }) => text).join(' ')

test('lines stand in the order of time, and those without a time after the one before them of their server', () => {
  const first = mergeLines([], of('a', undefined, '01', '03', undefined))
  expect(words(mergeLines(first, of('b', '02', undefined, '04')))).toBe('a0 a1 b0 b1 a2 a3 b2')
  // A second part of a server goes on where its first ended.
  expect(words(mergeLines(mergeLines(first, of('b', '04')), of('a', undefined)))).toBe('a0 a1 a2 a3 a0 b0')
})

test('lines are chosen by their text and their stream', () => {
  const lines = mergeLines(
    [],
    [
      { workload: 'a', time: '1', stream: 'stdout', text: 'An Error' },
      { workload: 'b', time: '2', stream: 'stderr', text: 'an error' },
      { workload: 'b', time: '3', stream: 'stderr', text: 'calm' },
    ],
  )
  expect(chooseLines(lines, { q: 'ERROR' }).map(({ workload }) => workload)).toEqual(['a', 'b'])
  expect(words(chooseLines(lines, { stream: 'stderr' }))).toBe('an error calm')
  expect(words(chooseLines(lines, { q: 'error', stream: 'stdout' }))).toBe('An Error')
  expect(chooseLines(lines, {})).toBe(lines)
})
