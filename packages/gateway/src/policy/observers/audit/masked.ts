import { isObject } from '../../../messages/json-rpc.ts'

const HIDDEN = '[hidden]'

/** Names of fields that usually hold secrets. */
const SENSITIVE =
  /pass(word|wd|phrase)|secret|token|credential|authorization|api[-_]?key|private[-_]?key|access[-_]?key|cookie|session[-_]?id/i

/**
 * A copy without secrets: without values that the daemon knows to be secret, and without what is under a name that says
 * so.
 */
export function masked(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map((item: unknown) => masked(item, mask))
  // Numbers with more digits than JavaScript holds are objects of their own, and stay as they are.
  if (!isObject(value) || Object.getPrototypeOf(value) === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      mask(key),
      SENSITIVE.test(key) && typeof item !== 'boolean' ? HIDDEN : masked(item, mask),
    ]),
  )
}
