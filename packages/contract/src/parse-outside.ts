import * as z from 'zod'
import { plainIssue } from './plain-issue.ts'
import { hasNul, NO_HALF_PAIR, NO_NUL } from './text.ts'

type Parsed<T> = { success: true; data: T; error?: never } | { success: false; data?: never; error: z.ZodError }

/**
 * Parses a value that came from outside: a request, or a file that another person could have written. It first checks the
 * characters of every text and key, whatever the schema says, so that no new field can forget the check. Each issue names its
 * place.
 */
export function parseOutside<Schema extends z.ZodType>(schema: Schema, value: unknown): Parsed<z.output<Schema>> {
  const faults = textFaults(value)
  if (faults.length === 0) return schema.safeParse(value, { error: plainIssue })
  return { success: false, error: new z.ZodError(faults) }
}

/** A place in the value. A path is only built for a fault: copying paths would make deep values costly. */
interface Place {
  value: unknown
  key?: string | number
  parent?: Place
}

const MAX_FAULTS = 20

/** Finds every text that contains a NUL, and every key that contains a NUL or half of a surrogate pair. */
function textFaults(value: unknown): z.core.$ZodIssueCustom[] {
  const faults: z.core.$ZodIssueCustom[] = []
  const add = (place: Place, message: string) =>
    faults.push({ code: 'custom', path: pathOf(place), message, input: undefined })
  // A YAML alias can refer to a node that contains it.
  const seen = new Set<object>()
  const open: Place[] = [{ value }]
  for (let place = open.pop(); place !== undefined && faults.length < MAX_FAULTS; place = open.pop()) {
    const { key, value: found } = place
    if (typeof key === 'string' && hasNul(key)) add(place, `this key ${NO_NUL}`)
    if (typeof key === 'string' && !key.isWellFormed()) add(place, `this key ${NO_HALF_PAIR}`)
    if (typeof found === 'string' && hasNul(found)) add(place, NO_NUL)
    if (typeof found !== 'object' || found === null || seen.has(found)) continue
    seen.add(found)
    const inside = Array.isArray(found) ? [...found.entries()] : Object.entries(found)
    const parent = place
    // A stack: the last one added is checked first.
    for (const [name, part] of inside.toReversed()) open.push({ key: name, value: part, parent })
  }
  return faults
}

function pathOf(place: Place): (string | number)[] {
  const path: (string | number)[] = []
  for (let at: Place | undefined = place; at?.key !== undefined; at = at.parent) path.push(at.key)
  return path.toReversed()
}
