import type { ToolChange } from '@toolhaven/contract/tools'
import { expect, test } from 'vitest'
import { createOutput } from '../output/output.ts'
import { showChanges } from './show-changes.ts'

function shown(changes: readonly ToolChange[], isTTY: boolean): string {
  let all = ''
  const stream = { isTTY, write: (text: string) => (all += text) }
  showChanges(createOutput({ stdout: stream, stderr: stream, env: {} }), changes)
  return all
}

const change: ToolChange = {
  part: 'tool',
  name: 'echo',
  kind: 'changed',
  fields: [
    {
      field: 'description',
      parts: [
        { kind: 'same', text: 'says ' },
        { kind: 'removed', text: 'it' },
        { kind: 'added', text: 'all' },
      ],
    },
  ],
}

test('words are marked without a terminal, and painted in one', () => {
  expect(shown([change], false)).toBe('echo: changed\n  description: says [-it-]{+all+}\n')
  expect(shown([change], true)).toContain('says \u001B[31mit\u001B[0m\u001B[32mall\u001B[0m\n')
})

test('a removed tool is named, no more; the next one stands apart', () => {
  const removed: ToolChange = { ...change, name: 'old', kind: 'removed' }
  expect(shown([removed, removed], false)).toBe('old: removed\n\nold: removed\n')
})

test('what is not a tool says what it is', () => {
  const greet: ToolChange = { ...change, part: 'prompt', name: 'greet', kind: 'removed' }
  const memo: ToolChange = { ...greet, part: 'resource_template', name: 'memo://{id}' }
  const said: ToolChange = { ...greet, part: 'instructions', name: 'instructions' }
  expect(shown([greet, memo, said], false)).toBe(
    'prompt greet: removed\n\nresource template memo://{id}: removed\n\ninstructions: removed\n',
  )
})

test('long text that stayed is cut, and what changed never is', () => {
  const long = `${'a'.repeat(500)}!`
  const parts: ToolChange['fields'][number]['parts'] = [
    { kind: 'same', text: long },
    { kind: 'added', text: long },
    { kind: 'same', text: long },
    { kind: 'removed', text: 'x' },
    { kind: 'same', text: long },
  ]
  const text = shown([{ ...change, fields: [{ field: 'description', parts }] }], false)
  const [near, far] = [`${'a'.repeat(59)}!`, 'a'.repeat(60)]
  expect(text).toBe(`echo: changed\n  description:  … ${near}{+${long}+}${far} … ${near}[-x-]${far} … \n`)
})

test('whatever comes, it does not drive the terminal', () => {
  const hostile: ToolChange = {
    part: 'tool',
    name: 'a\u001B[2J',
    kind: 'added',
    fields: [{ field: 'k\u0007', parts: [{ kind: 'added', text: 'v\u001B]0;x\u0007' }] }],
  }
  expect(shown([hostile], false)).toBe('a\\u{1b}[2J: added\n  k\\u{7}: {+v\\u{1b}]0;x\\u{7}+}\n')
})
