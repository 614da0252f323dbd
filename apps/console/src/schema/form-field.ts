import { isObject, type JsonSchema, ownValue, resolveSchema, typesOf } from './json-schema.ts'

export interface Option {
  label: string
  value: unknown
}

export interface NamedSchema {
  name: string
  schema: unknown
  isRequired: boolean
}

/** What a form shows for a schema. */
export type FormField = { title: string | undefined; help: string } & (
  | { kind: 'text'; isLong: boolean; isSecret: boolean }
  | { kind: 'number' }
  | { kind: 'flag' }
  | { kind: 'choice'; options: readonly Option[] }
  | { kind: 'choices'; options: readonly Option[] }
  | { kind: 'list'; item: unknown }
  | { kind: 'object'; fields: readonly NamedSchema[] }
  | { kind: 'variants'; variants: readonly { label: string; schema: JsonSchema }[] }
  /** Said in a way that a form cannot show. */
  | { kind: 'json' }
)

/** Deeper than a person fills in. Schemas may also lead back to themselves. */
const DEEPEST = 8
/** More than a person fills in. What is required is shown at once, and may hold as much again at each depth. */
const MOST_FIELDS = 200

export function fieldOf(schema: unknown, root: JsonSchema, depth = 0): FormField {
  const resolved = resolveSchema(schema, root)
  const { title } = resolved
  const about = { title: typeof title === 'string' && title !== '' ? title : undefined, help: helpOf(resolved) }
  if (depth >= DEEPEST) return { ...about, kind: 'json' }
  const options = optionsOf(resolved, root)
  if (options) return { ...about, kind: 'choice', options }
  const variants = variantsOf(resolved, root)
  const [only] = variants
  // A type that may also be null is that type: what is left out is null's place.
  if (only && variants.length === 1) {
    const field = fieldOf(only, root, depth + 1)
    return { ...field, title: about.title ?? field.title, help: about.help || field.help }
  }
  if (variants.length > 1) return { ...about, kind: 'variants', variants: labelled(variants) }
  return { ...about, ...simpleField(resolved, root, depth) }
}

function simpleField(schema: JsonSchema, root: JsonSchema, depth: number) {
  const [type, ...others] = typesOf(schema).filter((each) => each !== 'null')
  if (others.length > 0) return { kind: 'json' } as const
  switch (type ?? impliedType(schema)) {
    case 'string':
      return { kind: 'text', isLong: isLong(schema), isSecret: schema['format'] === 'password' } as const
    case 'number':
    case 'integer':
      return { kind: 'number' } as const
    case 'boolean':
      return { kind: 'flag' } as const
    case 'array': {
      const options = optionsOf(resolveSchema(schema['items'], root), root)
      if (options) return { kind: 'choices', options } as const
      return isObject(schema['items'])
        ? ({ kind: 'list', item: schema['items'] } as const)
        : ({ kind: 'json' } as const)
    }
    case 'object': {
      const fields = propertiesOf(schema)
      // The outermost one stands for all arguments: without names there is nothing to ask for.
      const isOpen = fields.length === 0 && schema['additionalProperties'] !== false && depth > 0
      const isEndless = depth > 0 && countFields(fields, root, depth, MOST_FIELDS) > MOST_FIELDS
      return isOpen || isEndless ? ({ kind: 'json' } as const) : ({ kind: 'object', fields } as const)
    }
    default:
      return { kind: 'json' } as const
  }
}

/** What a form shows of these at once. Stops soon after `enough`. */
function countFields(fields: readonly NamedSchema[], root: JsonSchema, depth: number, enough: number): number {
  let count = fields.length
  for (const { schema } of fields.filter(({ isRequired }) => isRequired)) {
    if (count > enough || depth >= DEEPEST) break
    count += countFields(propertiesOf(shownFirst(schema, root)), root, depth + 1, enough - count)
  }
  return count
}

/** Of variants, a form begins with the first. */
function shownFirst(schema: unknown, root: JsonSchema): JsonSchema {
  let found = resolveSchema(schema, root)
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    const [first] = variantsOf(found, root)
    if (first === undefined) break
    found = first
  }
  return found
}

function impliedType(schema: JsonSchema): string | undefined {
  if (isObject(schema['properties'])) return 'object'
  return isObject(schema['items']) ? 'array' : undefined
}

/** Those that are required come first. */
export function propertiesOf(schema: JsonSchema): NamedSchema[] {
  const { properties, required } = schema
  if (!isObject(properties)) return []
  const names: readonly unknown[] = Array.isArray(required) ? required : []
  const all = Object.entries(properties).map(([name, each]) => ({
    ...{ name, schema: each, isRequired: names.includes(name) },
  }))
  return [...all.filter(({ isRequired }) => isRequired), ...all.filter(({ isRequired }) => !isRequired)]
}

function optionsOf(schema: JsonSchema, root: JsonSchema): Option[] | undefined {
  const { enum: values, enumNames: names } = schema
  if (Object.hasOwn(schema, 'const')) return [optionOf(schema['const'], schema['title'])]
  if (Array.isArray(values))
    return values.map((value, at) => optionOf(value, Array.isArray(names) ? names[at] : undefined))
  const parts = schema['oneOf'] ?? schema['anyOf']
  if (!Array.isArray(parts) || parts.length === 0) return undefined
  const resolved = parts.map((part) => resolveSchema(part, root))
  if (!resolved.every((part) => Object.hasOwn(part, 'const'))) return undefined
  return resolved.map((part) => optionOf(part['const'], part['title']))
}

function optionOf(value: unknown, name: unknown): Option {
  const plain = typeof value === 'string' ? value : JSON.stringify(value)
  return { value, label: typeof name === 'string' && name !== '' ? name : plain }
}

function variantsOf(schema: JsonSchema, root: JsonSchema): JsonSchema[] {
  const parts = schema['anyOf'] ?? schema['oneOf']
  if (!Array.isArray(parts) || isObject(schema['properties'])) return []
  return parts.map((part) => resolveSchema(part, root)).filter((part) => part['type'] !== 'null')
}

function labelled(variants: readonly JsonSchema[]) {
  return variants.map((schema, at) => {
    const { title } = schema
    const label = typeof title === 'string' && title !== '' ? title : (typesOf(schema)[0] ?? `variant ${at + 1}`)
    return { label, schema }
  })
}

const isLong = ({ maxLength, format, contentMediaType }: JsonSchema) =>
  (typeof maxLength === 'number' && maxLength > 300) || format === 'textarea' || contentMediaType !== undefined

/** What the server says of it, and the bounds that it sets. */
function helpOf(schema: JsonSchema): string {
  const { description, format, pattern } = schema
  const bounds = BOUNDS.flatMap(([key, words]) => {
    const bound = ownValue(schema, key)
    return typeof bound === 'number' ? [`${words} ${bound}`] : []
  })
  const words = [
    ...(typeof format === 'string' ? [`format: ${format}`] : []),
    ...(typeof pattern === 'string' ? [`pattern: ${pattern}`] : []),
    ...bounds,
  ]
  const said = typeof description === 'string' ? [description.trim()] : []
  return [...said, ...(words.length > 0 ? [`(${words.join('; ')})`] : [])].join(' ')
}

const BOUNDS = [
  ['minimum', 'at least'],
  ['exclusiveMinimum', 'more than'],
  ['maximum', 'at most'],
  ['exclusiveMaximum', 'less than'],
  ['multipleOf', 'multiple of'],
  ['minLength', 'characters, at least'],
  ['maxLength', 'characters, at most'],
  ['minItems', 'items, at least'],
  ['maxItems', 'items, at most'],
] as const
