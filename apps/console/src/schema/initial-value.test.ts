import { expect, test } from 'vitest'
import { initialArguments } from './initial-value.ts'

test('a form begins with defaults, and with what can only be one thing', () => {
  const schema = {
    required: ['sure', 'inner', 'kind', 'list', 'text'],
    properties: {
      size: { type: 'integer', default: 3 },
      left: { type: 'object', properties: { out: { default: 1 } } },
      sure: { type: 'boolean' },
      kind: { const: 'a' },
      list: { type: 'array' },
      text: { type: 'string' },
      inner: { $ref: '#/$defs/inner' },
    },
    $defs: { inner: { type: 'object', properties: { deep: { default: 'd' }, none: {} }, required: ['deep'] } },
  }
  expect(initialArguments(schema)).toEqual({ size: 3, sure: false, kind: 'a', list: [], inner: { deep: 'd' } })
})

test('a schema that needs itself has an end', () => {
  const schema = { type: 'object', required: ['next'], properties: { next: { $ref: '#' } } }
  expect(JSON.stringify(initialArguments(schema)).length).toBeLessThan(200)
})

test('required parts that are each like the whole make a form that ends', () => {
  let looks = 0
  const names = Array.from({ length: 12 }, (_, at) => `part${at}`)
  const root = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { $ref: '#' }])),
    get required() {
      looks += 1
      // Without a bound there would be 400 million.
      if (looks > 100_000) throw new Error('too many looks')
      return names
    },
  }
  expect(initialArguments(root)).toHaveProperty('part0.part0')
})
