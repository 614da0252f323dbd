import { expect, test } from 'vitest'
import { fieldOf, propertiesOf } from './form-field.ts'

const kindOf = (schema: unknown, root = {}) => fieldOf(schema, root, 1).kind

test('each kind of schema has its field', () => {
  expect(kindOf({ type: 'string' })).toBe('text')
  expect(kindOf({ type: 'integer' })).toBe('number')
  expect(kindOf({ type: 'boolean' })).toBe('flag')
  expect(kindOf({ enum: [1, 'a', null] })).toBe('choice')
  expect(kindOf({ type: 'array', items: { enum: ['a', 'b'] } })).toBe('choices')
  expect(kindOf({ type: 'array', items: { type: 'string' } })).toBe('list')
  expect(kindOf({ properties: { a: {} } })).toBe('object')
  expect(kindOf({ anyOf: [{ type: 'string' }, { type: 'number' }] })).toBe('variants')
})

test('what a form cannot show is JSON, and a text that may be null is a text', () => {
  expect(kindOf({})).toBe('json')
  expect(kindOf({ type: 'object' })).toBe('json')
  expect(kindOf({ type: ['string', 'number'] })).toBe('json')
  expect(kindOf({ type: ['string', 'null'] })).toBe('text')
  expect(kindOf({ anyOf: [{ type: 'integer' }, { type: 'null' }] })).toBe('number')
})

test('titles name the choices of an enumeration', () => {
  expect(fieldOf({ oneOf: [{ const: 'r', title: 'Red' }, { const: 'g' }] }, {})).toMatchObject({
    options: [
      { label: 'Red', value: 'r' },
      { label: 'g', value: 'g' },
    ],
  })
})

test('references lead into the same document, and end where they go in circles', () => {
  const root = { $defs: { 'a/b': { type: 'string', description: 'There' }, loop: { $ref: '#/$defs/loop' } } }
  expect(fieldOf({ $ref: '#/$defs/a~1b' }, root)).toMatchObject({ kind: 'text', help: 'There' })
  expect(kindOf({ $ref: '#/$defs/loop' }, root)).toBe('json')
  expect(kindOf({ $ref: '#/constructor' }, root)).toBe('json')
  const tree = { properties: { child: { $ref: '#' } } }
  expect(fieldOf({ $ref: '#' }, tree, 8).kind).toBe('json')
})

test('what is required comes first, and parts of allOf are one', () => {
  const schema = { properties: { a: {}, b: {} }, required: ['b'] }
  expect(propertiesOf(schema).map(({ name }) => name)).toEqual(['b', 'a'])
  const field = fieldOf({ allOf: [schema, { properties: { c: {} } }] }, {})
  expect(field).toMatchObject({ kind: 'object', fields: [{ name: 'b' }, { name: 'c' }, { name: 'a' }] })
})

test('the help has the bounds, and the pattern that the server tries itself', () => {
  const { help } = fieldOf({ type: 'string', description: 'A code', minLength: 2, pattern: '^[a-z]+$' }, {})
  expect(help).toBe('A code (pattern: ^[a-z]+$; characters, at least 2)')
})

test('an object that would show more fields than a person fills in is JSON', () => {
  const names = Array.from({ length: 12 }, (_, at) => `part${at}`)
  const whole = (part: object) => ({
    type: 'object',
    required: names,
    properties: Object.fromEntries(names.map((name) => [name, part])),
  })
  expect(kindOf(whole({ type: 'string' }))).toBe('object')
  expect(kindOf({ $ref: '#' }, whole({ $ref: '#' }))).toBe('json')
  expect(kindOf({ $ref: '#' }, whole({ anyOf: [{ $ref: '#' }, { type: 'string' }] }))).toBe('json')
})
