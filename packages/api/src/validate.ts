import type * as z from 'zod'
import { parseOutside } from '@toolhaven/contract/parse-outside'
import { invalid } from '@toolhaven/core/errors'
import { isEmpty } from '@toolhaven/core/workloads/without-empty'

const MAX_FAULTS = 5

/**
 * The same for a body. Refuses a field that this version does not know, because it would silently have no effect. An unknown field
 * with an empty value is accepted, because newer clients send their defaults.
 */
export function validateBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = parseOutside(schema, body)
  if (result.success) return result.data
  const unknown = result.error.issues.filter((issue) => issue.code === 'unrecognized_keys')
  const copy = structuredClone(body)
  for (const { path, keys } of unknown) dropEmpty(copy, path, keys)
  return validate(schema, copy)
}

function dropEmpty(body: unknown, path: readonly PropertyKey[], keys: readonly string[]): void {
  const place = path.reduce<unknown>((at, key) => (isObject(at) ? Reflect.get(at, key) : undefined), body)
  if (!isObject(place)) return
  for (const key of keys) if (asksForNothing(Reflect.get(place, key))) Reflect.deleteProperty(place, key)
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null

function asksForNothing(value: unknown): boolean {
  return value === false || isEmpty(value)
}

/** Parses with the route's schema. The error names each invalid field. */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = parseOutside(schema, value)
  if (result.success) return result.data
  const faults = result.error.issues.map((issue) => describeIssue(issue))
  const more = faults.length > MAX_FAULTS ? `; and ${faults.length - MAX_FAULTS} more` : ''
  throw invalid(`${faults.slice(0, MAX_FAULTS).join('; ')}${more}`)
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const field = issue.path.map(String).join('.')
  const message = issue.message.replaceAll(/\p{Cc}/gu, '?')
  if (issue.code === 'unrecognized_keys')
    return `${field ? `${field}: ` : ''}unknown field ${fewOf(issue.keys.map(shorten)).join(', ')}`
  if (field) return `${shorten(field)}: ${message}`
  return issue.code === 'invalid_type' ? `the body ${message}` : message
}

const fewOf = (keys: readonly string[]) =>
  keys.length > MAX_FAULTS ? [...keys.slice(0, MAX_FAULTS), `and ${keys.length - MAX_FAULTS} more`] : keys

const shorten = (text: string) => text.replaceAll(/\p{Cc}/gu, '?').slice(0, 100)
