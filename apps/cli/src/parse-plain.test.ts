import { fc } from '@toolhaven/testing/properties'
import { expect, test } from 'vitest'
import type { Input } from './command.ts'
import { list } from './commands/list.ts'
import { buildProgram } from './parse.ts'
import { parsePlain } from './parse-plain.ts'

async function byCommander(words: readonly string[]): Promise<Input | undefined> {
  let found: Input | undefined
  const run = async (_command: unknown, input: Input) => void (found = input)
  await buildProgram([list], { groups: {}, writeErr: () => {}, run })
    .parseAsync(['node', 'thv', 'list', ...words])
    .catch(() => undefined)
  return found
}

test.each([
  [[]],
  [['-a']],
  [['--all', '--format', 'json']],
  [['--format=mcpservers', '-g', 'default']],
  [['-l', 'a=b', '--label=c=d=e', '--label', 'f']],
  [['--group', 'one', '--group', 'two']],
])('%j is read as commander reads it', async (words) => {
  const plain = parsePlain(list, words)
  expect(plain).toBeDefined()
  expect(plain).toEqual(await byCommander(words))
})

test.each([
  [['time']],
  [['--al']],
  [['-ag', 'x']],
  [['--help']],
  [['--debug']],
  [['--format', 'yaml']],
  [['--group']],
  [['--group', '--all']],
  [['--group=']],
  [['--all=yes']],
  [['-g=x']],
  [['--', '--all']],
])('%j is left to commander', (words) => {
  expect(parsePlain(list, words)).toBeUndefined()
})

test('whatever is read at all is read as commander reads it', async () => {
  const parts = [
    '-a',
    '--all',
    '-g',
    '--group',
    '--group=x',
    '-l',
    '--label',
    'k=v',
    '--format',
    '--format=json',
    'json',
  ]
  const word = fc.oneof(fc.constantFrom(...parts, '-', '--', '--format=', '-lx', '-al', ''), fc.string())
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 5 }), async (words) => {
      const plain = parsePlain(list, words)
      expect(plain ?? 'left to commander').toEqual(plain === undefined ? 'left to commander' : await byCommander(words))
    }),
  )
})
