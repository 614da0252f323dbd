import { expect, test } from 'vitest'
import { findFaults } from './find-faults.ts'

const faults = (schema: object, value: unknown) =>
  findFaults(schema, value, { ...schema }).map(({ path, message }) => `${path} ${message}`)

test('what fits has no fault', () => {
  const schema = {
    ...{ type: 'object', required: ['a'], additionalProperties: false },
    properties: { a: { type: 'integer', minimum: 1 }, b: { type: 'array', items: { enum: ['x', 'y'] } }, c: true },
  }
  expect(faults(schema, { a: 1, b: ['x'], c: null })).toEqual([])
})

test('each fault names its place', () => {
  const item = { type: 'object', required: ['name'], properties: { name: { type: 'string', maxLength: 2 } } }
  const schema = {
    type: 'object',
    required: ['list', 'toString'],
    properties: { list: { type: 'array', items: item } },
  }
  expect(faults(schema, { list: [{ name: 'abc' }, {}, 5] })).toEqual([
    '/toString is required',
    '/list/0/name has 3 characters, and may have at most 2',
    '/list/1/name is required',
    '/list/2 must be an object',
  ])
})

test('numbers, lists and names are held to their bounds', () => {
  expect(faults({ type: 'number', exclusiveMinimum: 0 }, 0)).toEqual([' must be more than 0'])
  expect(faults({ type: 'integer' }, 1.5)).toEqual([' must be a whole number'])
  expect(faults({ type: ['integer', 'null'] }, '1')).toEqual([' must be a whole number or null'])
  expect(faults({ minItems: 2 }, [1])).toEqual([' has 1 items, and needs at least 2'])
  expect(faults({ additionalProperties: false }, { a: 1 })).toEqual(['/a is not known to the server'])
  expect(faults({ additionalProperties: { type: 'string' } }, { a: 1 })).toEqual(['/a must be a text'])
  // One character for a reader, two units of UTF-16.
  expect(faults({ maxLength: 1 }, '😀')).toEqual([])
})

test('of several forms one must fit, and the nearest is told', () => {
  const card = { type: 'object', required: ['number'], properties: { number: { type: 'string' } } }
  const schema = { anyOf: [{ type: 'string' }, card] }
  expect(faults(schema, 'voucher')).toEqual([])
  expect(faults(schema, {})).toEqual(['/number is required'])
  expect(faults(schema, 5)).toEqual([' fits none of the forms it can have'])
})

test('a pattern that never ends is not tried, and a schema in a circle ends', () => {
  expect(faults({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(50)}b`)).toEqual([])
  const root = { properties: { next: { $ref: '#' } }, type: 'object' }
  let value = {}
  for (let depth = 0; depth < 100; depth += 1) value = { next: value }
  expect(findFaults({ $ref: '#' }, value, root)).toEqual([])
})

test('variants that lead back to themselves cost a bounded number of looks', () => {
  let looks = 0
  const variant = {
    get anyOf() {
      looks += 1
      // Without a bound there would be four billion.
      if (looks > 100_000) throw new Error('too many looks')
      return [{ $ref: '#/$defs/variant' }, { $ref: '#/$defs/variant' }]
    },
  }
  findFaults(variant, 1, { $defs: { variant } })
  expect(looks).toBeGreaterThan(1)
})
