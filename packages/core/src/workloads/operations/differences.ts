import type { Difference } from '@toolhaven/contract/plans'
import { isSameJson } from '../config/is-same-json.ts'

/** Maps whose entries are compared one by one. */
const BY_ENTRY: ReadonlySet<string> = new Set(['env_vars', 'container_labels', 'tools_override'])

/** The differences between two configurations, sorted by field. */
export function differencesOf(before: object, after: object): Difference[] {
  const [old, now] = [flat(before), flat(after)]
  return [...new Set([...old.keys(), ...now.keys()])]
    .toSorted()
    .filter((field) => !isSameJson(old.get(field), now.get(field)))
    .map((field) => ({
      field,
      ...(old.has(field) && { before: old.get(field) }),
      ...(now.has(field) && { after: now.get(field) }),
    }))
}

function flat(config: object): Map<string, unknown> {
  const fields = Object.entries(config).flatMap(([field, value]: [string, unknown]): [string, unknown][] => {
    if (!BY_ENTRY.has(field) || typeof value !== 'object' || value === null) return [[field, value]]
    return Object.entries(value).map(([key, each]) => [`${field}.${key}`, each])
  })
  return new Map(fields)
}
