import { expect, test } from 'vitest'
import * as z from 'zod'
import { parseOutside } from './parse-outside.ts'

const schema = z.strictObject({
  name: z.string().min(1).max(5),
  port: z.int().min(1).max(9),
  kind: z.enum(['a', 'b']),
  tools: z.array(z.string()).max(1),
  own: z.string().regex(/x/, 'must have an x'),
  either: z.union([z.string(), z.number()]),
  flag: z.boolean(),
})

function faultsOf(value: unknown): Record<string, string> {
  const { error } = parseOutside(schema, value)
  return Object.fromEntries((error?.issues ?? []).map(({ path, message }) => [path.join('.'), message]))
}

test('what is wrong with a value is said in plain words', () => {
  expect(faultsOf({})).toEqual({
    ...{ name: 'is missing', port: 'is missing', kind: 'is missing', tools: 'is missing', own: 'is missing' },
    ...{ either: 'is missing', flag: 'is missing' },
  })
  const wrong = { name: '', port: 0, kind: 'c', tools: ['a', 'b'], own: 'y', either: [], flag: 'yes', extra: 1 }
  expect(faultsOf(wrong)).toEqual({
    ...{ name: 'must not be empty', port: 'must be at least 1', kind: 'must be one of a, b' },
    ...{ tools: 'must have at most 1 entries', own: 'must have an x', flag: 'must be true or false' },
    ...{ either: 'has none of the forms that are allowed here', '': 'unknown field extra' },
  })
  expect(faultsOf({ ...wrong, name: 5, port: 1.5, tools: {} })).toMatchObject({
    ...{ name: 'must be text', port: 'must be a whole number', tools: 'must be a list' },
  })
})
