import { expect, test } from 'vitest'
import { mayComeFrom } from './may-come-from.ts'

test.each([
  ['memo://a', 'memo://a', true],
  ['memo://b', 'memo://a', false],
  ['memo://a', 'memo://{id}', true],
  ['memo://', 'memo://{id}', true],
  ['file:///etc/passwd', 'memo://{id}', false],
  ['memo://a/history', 'memo://{id}/history', true],
  ['memo://a', 'memo://{id}/history', false],
  ['db://one/rows/2', 'db://{table}/rows/{row}', true],
  ['db://one/columns/2', 'db://{table}/rows/{row}', false],
  ['anything', '{+uri}', true],
  ['search?q=1', 'search{?q,lang}', true],
  ['aXa', 'a{x}Xa{y}a', false],
])('%s and %s: %s', (uri, template, is) => {
  expect(mayComeFrom(uri, template)).toBe(is)
})

test('many expressions on a long text are no work', () => {
  const template = `${'{a}x'.repeat(5_000)}y`
  expect(mayComeFrom('x'.repeat(100_000), template)).toBe(false)
  expect(mayComeFrom(`${'x'.repeat(100_000)}y`, template)).toBe(true)
})
