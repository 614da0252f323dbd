import { propertiesOf } from './form-field.ts'
import { isObject, type JsonSchema, ownValue, resolveSchema, typesOf } from './json-schema.ts'

const DEEPEST = 8
/** More than a person fills in. With twelve required parts that are like the whole, that depth would have 400 million. */
const MOST_PARTS = 1_000

/** What a form begins with: defaults, and what must be there in the one form that it can have. */
export function initialValue(schema: unknown, root: JsonSchema, depth = 0, budget = { parts: MOST_PARTS }): unknown {
  if (budget.parts <= 0) return undefined
  budget.parts -= 1
  const resolved = resolveSchema(schema, root)
  if (resolved['default'] !== undefined) return resolved['default']
  if (Object.hasOwn(resolved, 'const')) return resolved['const']
  const [type = isObject(resolved['properties']) ? 'object' : undefined] = typesOf(resolved)
  if (type === 'boolean') return false
  if (type === 'array') return []
  if (type !== 'object' || depth >= DEEPEST) return undefined
  const entries = propertiesOf(resolved).flatMap(({ name, schema: inner, isRequired }): [string, unknown][] => {
    const value = isRequired
      ? initialValue(inner, root, depth + 1, budget)
      : ownValue(resolveSchema(inner, root), 'default')
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(entries)
}

/** The arguments of a new form. */
export function initialArguments(schema: JsonSchema): Record<string, unknown> {
  const value = initialValue({ type: 'object', ...schema }, schema)
  return isObject(value) ? { ...value } : {}
}
