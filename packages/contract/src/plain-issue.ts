import type * as z from 'zod'

/** What is wrong with a value, worded to follow the name of its field. A schema's own message is kept. */
export function plainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${KINDS[issue.expected] ?? issue.expected}`
    case 'too_small':
      return sizeFault(issue.origin, issue.minimum, issue.inclusive === false ? 'more than' : 'at least')
    case 'too_big':
      return sizeFault(issue.origin, issue.maximum, issue.inclusive === false ? 'less than' : 'at most')
    case 'invalid_value':
      return issue.input === undefined
        ? 'is missing'
        : `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
    case 'invalid_format':
      return `must be a valid ${FORMATS[issue.format] ?? issue.format}`
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return `unknown field ${issue.keys.join(', ')}`
    case 'invalid_union':
      return issue.input === undefined ? 'is missing' : 'has none of the forms that are allowed here'
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'has a key that is not allowed here'
    default:
      return undefined
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

const FORMATS: Readonly<Record<string, string>> = { url: 'address', regex: 'value' }

const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' entries', set: ' entries' }

function sizeFault(origin: string, limit: number | bigint, relation: string): string {
  const unit = UNITS[origin]
  if (unit === undefined) return `must be ${relation} ${limit}`
  return Number(limit) === 1 && relation === 'at least' ? 'must not be empty' : `must have ${relation} ${limit}${unit}`
}
