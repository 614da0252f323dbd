import { propertiesOf } from './form-field.ts'
import { isObject, type JsonSchema, ownValue, resolveSchema, typesOf } from './json-schema.ts'

const DEEPEST = 8

/** What a form begins with: defaults, and what must be there in the one form that it can have. */
export function initialValue(schema: unknown, root: JsonSchema, depth = 0): unknown {
  const resolved = resolveSchema(schema, root)
  if (resolved['default'] !== undefined) return resolved['default']
  if (Object.hasOwn(resolved, 'const')) return resolved['const']
  const [type = isObject(resolved['properties']) ? 'object' : undefined] = typesOf(resolved)
  if (type === 'boolean') return false
  if (type === 'array') return []
  if (type !== 'object' || depth >= DEEPEST) return undefined
  const entries = propertiesOf(resolved).flatMap(({ name, schema: inner, isRequired }): [string, unknown][] => {
    const value = isRequired ? initialValue(inner, root, depth + 1) : ownValue(resolveSchema(inner, root), 'default')
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(entries)
}

/** The arguments of a new form. */
export function initialArguments(schema: JsonSchema): Record<string, unknown> {
  const value = initialValue({ type: 'object', ...schema }, schema)
  return isObject(value) ? { ...value } : {}
}
