import { isObject } from '../messages/json-rpc.ts'

/** JSON with sorted keys and no spaces: equal values have equal texts. Numbers keep all their digits. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (!isObject(value) || JSON.isRawJSON(value)) return JSON.stringify(value)
  const keys = Object.keys(value).toSorted()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalText(value[key])}`).join(',')}}`
}
