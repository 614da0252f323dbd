import { expect, test } from 'vitest'
import { weaknessesIn, weaknessProblems } from './check-weaknesses.ts'

const ATTACK = `describeAttack('a server', { weaknesses: [{ file: 'guard.ts', find: 'if (bad)\\n  throw', replace: '' }] })`

const problems = (texts: Record<string, string>) => weaknessProblems('a.test.ts', ATTACK, (file) => texts[file])

test('a text that stands there once is fine, over several lines too', () => {
  expect(problems({ 'guard.ts': 'if (bad)\n  throw new Error()' })).toEqual([])
})

test('a text that was rewritten, one that stands there twice and a file that moved are problems', () => {
  expect(problems({ 'guard.ts': 'refuseIf(bad)' })).toEqual([expect.stringContaining('0 times')])
  expect(problems({ 'guard.ts': 'if (bad)\n  throw 1\nif (bad)\n  throw 2' })).toEqual([
    expect.stringContaining('2 times'),
  ])
  expect(problems({})).toEqual([expect.stringContaining('guard.ts, which is not there')])
})

test('constants are followed', () => {
  const source = 'const file = `x.ts`\nconst W = { file, find: "y" } as const'
  expect(weaknessesIn('a.test.ts', source)).toEqual([{ file: 'x.ts', find: 'y' }])
})
