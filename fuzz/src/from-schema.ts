import { anyText } from '@toolhaven/testing/any-text'
import { fc } from '@toolhaven/testing/properties'
import * as z from 'zod'
import type { Json } from './target.ts'

/** The parts of an OpenAPI schema that are used here. */
export const schemaShape = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.json()).optional(),
  const: z.json().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.unknown().optional(),
  items: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
})
export type Schemas = Readonly<Record<string, unknown>>

const MOST_DEPTH = 5
const MOST_ITEMS = 3
const MOST_FIELDS = 5

/** Texts that mean something to some field. No name here can be resolved, and no path leads to anybody's files. */
const TEXTS = [
  ...[
    '',
    'web',
    'research',
    'default',
    'token',
    'everything',
    'Cursor',
    'a-secret-value',
    '..',
    '../x',
    '/nonexistent/x',
    '-x',
  ],
  ...[
    'http://127.0.0.1:9/mcp',
    'https://private.example/mcp',
    'ftp://x.invalid/',
    'x.invalid/server:1',
    'npx://x',
    'uvx://x@1',
  ],
  ...[
    'token,target=A',
    'A=1',
    '/nonexistent/x:/data:ro',
    '2026-01-01T00:00:00Z',
    'permit(principal, action, resource);',
    '🙂',
    'a\0b',
  ],
]
const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: anyText({ maxLength: 20 }) },
)
const wrong: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, true, -1, 0, 1.5, 1e308, 2 ** 53, '', [], {}, [[]], { $ref: '#' }, [null]),
  text,
)

/** Values that the schema allows, with other values here and there. */
export function fromSchema(schema: unknown, schemas: Schemas, depth = 0): fc.Arbitrary<Json> {
  if (depth > MOST_DEPTH) return wrong
  return fc.oneof({ weight: 20, arbitrary: rightOf(schema, schemas, depth) }, { weight: 1, arbitrary: wrong })
}

function rightOf(given: unknown, schemas: Schemas, depth: number): fc.Arbitrary<Json> {
  const parsed = schemaShape.safeParse(given)
  if (!parsed.success) return wrong
  const schema = parsed.data
  const inside = (inner: unknown) => fromSchema(inner, schemas, depth + 1)
  if (schema.$ref !== undefined) return rightOf(schemas[schema.$ref.split('/').at(-1) ?? ''], schemas, depth)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => inside(choice)))
  switch (typeof schema.type === 'string' ? schema.type : schema.type?.[0]) {
    case 'object':
      return objectOf(schema, inside)
    case 'array':
      return fc.array(inside(schema.items), { maxLength: MOST_ITEMS })
    case 'string':
      return text
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'integer':
    case 'number': {
      const least = Math.ceil(schema.minimum ?? -10)
      const most = Math.floor(Math.min(schema.maximum ?? 100_000, 2 ** 31))
      return fc.oneof(fc.integer({ min: least, max: Math.max(least, most) }), fc.constantFrom(least - 1, most + 1))
    }
    default:
      return wrong
  }
}

function objectOf(
  { properties = {}, required = [], additionalProperties }: z.infer<typeof schemaShape>,
  inside: (schema: unknown) => fc.Arbitrary<Json>,
): fc.Arbitrary<Json> {
  const names = Object.keys(properties)
  if (names.length === 0)
    return fc.dictionary(text, inside(additionalProperties), { maxKeys: MOST_ITEMS, noNullPrototype: true })
  // A few fields at a time: with all of them, the first that is refused would hide the others.
  return fc.subarray(names, { maxLength: Math.min(MOST_FIELDS, names.length) }).chain((some) => {
    const chosen = new Set([...some, ...required.filter((name) => names.includes(name))])
    const fields = [...chosen].map((name) => [name, inside(properties[name])] as const)
    return fc.record(Object.fromEntries(fields), { noNullPrototype: true })
  })
}
