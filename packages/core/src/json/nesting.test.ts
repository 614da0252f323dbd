import { expect, test } from 'vitest'
import { isNestedDeeper } from './nesting.ts'

const nested = (levels: number): unknown => JSON.parse(`${'{"a":['.repeat(levels / 2)}1${']}'.repeat(levels / 2)}`)

test('values that nest too deep are told from others, however deep they are', () => {
  expect(isNestedDeeper(1)).toBe(false)
  expect(isNestedDeeper(nested(32))).toBe(false)
  expect(isNestedDeeper([nested(32)])).toBe(true)
  expect(isNestedDeeper(nested(60_000))).toBe(true)
  expect(isNestedDeeper(nested(4), 3)).toBe(true)
})
