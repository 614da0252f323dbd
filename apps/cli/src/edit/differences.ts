import type { CreateRequest, UpdateRequest } from '@toolhaven/contract/workload-request'
import { EDIT_OPTIONS } from './edit-options.ts'

export interface Difference {
  /** The option, as the user types it. */
  option: string
  change: 'added' | 'changed' | 'removed'
  /** Both are undefined if the values may be keys. */
  from?: unknown
  to?: unknown
  hidden?: true
}

/** Their values may be keys, so only their names are shown. */
const MAY_HOLD_KEYS = new Set(['env_vars', 'headers', 'telemetry_config.headers'])

/** The changes of the edit, by option. */
export function differencesOf(asked: CreateRequest, update: UpdateRequest): Difference[] {
  const after = { ...asked, ...update }
  return EDIT_OPTIONS.flatMap(({ field, option }): Difference[] => {
    const [from, to] = [at(asked, field), at(after, field)]
    if (JSON.stringify(from) === JSON.stringify(to)) return []
    if (MAY_HOLD_KEYS.has(field))
      return changedKeys(from, to).map((key) => ({
        ...{ option: `${option} ${key}`, hidden: true },
        change: changeOf(Object(from)[key], Object(to)[key]),
      }))
    return [
      { option, change: changeOf(from, to), ...(from !== undefined && { from }), ...(to !== undefined && { to }) },
    ]
  })
}

/** The value at a path. Empty values count as absent. */
function at(fields: object, path: string): unknown {
  let value: unknown = fields
  for (const name of path.split('.')) value = Object(value)[name]
  const isEmpty =
    value === null || value === '' || (typeof value === 'object' && Object.keys(Object(value)).length === 0)
  return isEmpty ? undefined : value
}

const changeOf = (from: unknown, to: unknown): Difference['change'] =>
  from === undefined ? 'added' : to === undefined ? 'removed' : 'changed'

function changedKeys(from: unknown, to: unknown): string[] {
  const [before, after]: Record<string, unknown>[] = [Object(from), Object(to)]
  const keys = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  return [...keys].filter((key) => before?.[key] !== after?.[key]).toSorted()
}
