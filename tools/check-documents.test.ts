import { expect, test } from 'vitest'
import { documentProblems } from './check-documents.ts'

const exists = (target: string) => ['docs/there.md', 'tools/there.ts'].includes(target)

test.each(['[gone](gone.md)', '[gone](./gone.md#part)', 'see `tools/gone.ts`'])('finds %s', (text) => {
  expect(documentProblems('docs/a.md', text, exists)).toEqual([expect.stringContaining('gone')])
})

test.each([
  '[there](there.md#part) and [up](../tools/there.ts)',
  'see `tools/there.ts`',
  '[elsewhere](https://example.com/gone)',
  'one file per noun: `packages/core/src/<noun>/`, `tools/check-*.ts`',
  '```\n[gone](gone.md)\n```',
])('accepts %s', (text) => {
  expect(documentProblems('docs/a.md', text, exists)).toEqual([])
})
