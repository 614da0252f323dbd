import type * as z from 'zod'
import { parseOutside } from '@toolhaven/contract/parse-outside'
import { invalid } from '@toolhaven/core/errors'

const MAX_FAULTS = 5

/** Parses with the route's schema; the error names each field that is wrong. */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = parseOutside(schema, value)
  if (result.success) return result.data
  const faults = result.error.issues.map((issue) => describeIssue(issue))
  const more = faults.length > MAX_FAULTS ? `; and ${faults.length - MAX_FAULTS} more` : ''
  throw invalid(`${faults.slice(0, MAX_FAULTS).join('; ')}${more}`)
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const field = issue.path.map(String).join('.')
  const message = issue.message.replace(/^Invalid input: /, '').replaceAll(/\p{Cc}/gu, '?')
  if (issue.code === 'unrecognized_keys')
    return `${field ? `${field}: ` : ''}unknown field ${issue.keys.map(shorten).join(', ')}`
  return field ? `${shorten(field)}: ${message}` : message
}

const shorten = (text: string) => text.replaceAll(/\p{Cc}/gu, '?').slice(0, 100)
