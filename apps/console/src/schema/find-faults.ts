import { isObject, type JsonSchema, ownValue, resolveSchema, typesOf } from './json-schema.ts'

/** What does not fit, and where: `/address/street`, `/tags/0`. */
export interface Fault {
  path: string
  message: string
}

const DEEPEST = 32
/** Two variants that each lead back to both would be looked at four billion times before that depth. */
const MOST_LOOKS = 10_000

interface Look {
  root: JsonSchema
  path: string
  depth: number
  /** Of all looks together. */
  budget: { looks: number }
}

/**
 * What a value has that its schema forbids. Patterns are not tried: a server may write one that never ends. What the schema says
 * in other words is the server's own matter, which hears of every call as it is sent. So is what is left after `MOST_LOOKS`.
 */
export function findFaults(schema: unknown, value: unknown, root: JsonSchema): Fault[] {
  return faultsAt({ root, path: '', depth: 0, budget: { looks: MOST_LOOKS } }, schema, value)
}

function faultsAt(look: Look, schema: unknown, value: unknown): Fault[] {
  const { root, path, depth, budget } = look
  if (depth > DEEPEST || schema === true || budget.looks <= 0) return []
  budget.looks -= 1
  const resolved = resolveSchema(schema, root)
  const fault = (message: string): Fault[] => [{ path, message }]
  const types = typesOf(resolved)
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return fault(`must be ${listOf(types)}`)
  const { enum: values, anyOf, oneOf } = resolved
  if (Array.isArray(values) && !values.some((each) => isSame(each, value))) return fault('must be one of the choices')
  if (Object.hasOwn(resolved, 'const') && !isSame(resolved['const'], value))
    return fault(`must be ${JSON.stringify(resolved['const'])}`)
  for (const parts of [anyOf, oneOf]) {
    if (!Array.isArray(parts) || parts.length === 0) continue
    const found = parts.map((part: unknown) => faultsAt({ ...look, depth: depth + 1 }, part, value))
    if (found.every((faults) => faults.length > 0)) return closest(found, path)
  }
  if (typeof value === 'string' || typeof value === 'number' || Array.isArray(value))
    for (const message of boundFaults(resolved, value)) return fault(message)
  if (Array.isArray(value)) return value.flatMap((item, at) => faultsAt(below(look, at), resolved['items'], item))
  return isObject(value) ? objectFaults(look, resolved, value) : []
}

const below = (look: Look, name: string | number): Look => ({
  ...look,
  path: `${look.path}/${name}`,
  depth: look.depth + 1,
})

/** Those of the variant that was most likely meant. */
function closest(found: readonly Fault[][], path: string): Fault[] {
  const inner = found.filter((faults) => faults.every((fault) => fault.path !== path))
  return inner.toSorted((a, b) => a.length - b.length)[0] ?? [{ path, message: 'fits none of the forms it can have' }]
}

function objectFaults(
  look: Look,
  { properties, required, additionalProperties }: JsonSchema,
  value: Readonly<Record<string, unknown>>,
): Fault[] {
  const names: readonly unknown[] = Array.isArray(required) ? required : []
  const missing = names
    .filter((name) => typeof name === 'string')
    .filter((name) => ownValue(value, name) === undefined)
    .map((name) => ({ path: `${look.path}/${name}`, message: 'is required' }))
  const inside = Object.entries(value).flatMap(([name, each]) => {
    const at = below(look, name)
    if (each === undefined) return []
    if (isObject(properties) && Object.hasOwn(properties, name)) return faultsAt(at, properties[name], each)
    if (additionalProperties === false) return [{ path: at.path, message: 'is not known to the server' }]
    return isObject(additionalProperties) ? faultsAt(at, additionalProperties, each) : []
  })
  return [...missing, ...inside]
}

function boundFaults(schema: JsonSchema, value: string | number | readonly unknown[]): string[] {
  const bound = (key: string, breaks: (limit: number) => boolean, words: string) => {
    const limit = ownValue(schema, key)
    return typeof limit === 'number' && breaks(limit) ? [`${words} ${limit}`] : []
  }
  if (typeof value === 'number')
    return [
      ...bound('minimum', (limit) => value < limit, 'must be at least'),
      ...bound('exclusiveMinimum', (limit) => value <= limit, 'must be more than'),
      ...bound('maximum', (limit) => value > limit, 'must be at most'),
      ...bound('exclusiveMaximum', (limit) => value >= limit, 'must be less than'),
    ]
  // A character is what Unicode calls one, as JSON Schema counts.
  const size = typeof value === 'string' ? Array.from(value).length : value.length
  const [least, most] = typeof value === 'string' ? ['minLength', 'maxLength'] : ['minItems', 'maxItems']
  const unit = typeof value === 'string' ? 'characters' : 'items'
  return [
    ...bound(least ?? '', (limit) => size < limit, `has ${size} ${unit}, and needs at least`),
    ...bound(most ?? '', (limit) => size > limit, `has ${size} ${unit}, and may have at most`),
  ]
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

const listOf = (types: readonly string[]) =>
  new Intl.ListFormat('en', { type: 'disjunction' }).format(types.map((type) => WORDS[type] ?? type))

function isOfType(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'null') return value === null
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
