import { hasAlike } from '../../../messages/alike.ts'

/** A value in the engine's JSON form. */
export type CedarValue =
  | string
  | number
  | boolean
  | CedarValue[]
  | { [key: string]: CedarValue }
  | { __extn: { fn: string; arg: string } }

const DEEPEST = 16
const DECIMAL = /^-?\d{1,14}\.\d{1,4}$/

/**
 * Undefined for what the policy language has no value for: null, numbers it cannot hold exactly, broken text. The same
 * goes for an object with a key that the engine's JSON form reserves: its sender must not be able to say "this is an
 * entity".
 */
export function toCedar(value: unknown, depth = 0): CedarValue | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') return value.isWellFormed() ? value : undefined
  if (typeof value === 'number') return fromNumber(value)
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return undefined
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => toCedar(item, depth + 1))
    return items.every((item) => item !== undefined) ? items : undefined
  }
  // Numbers with more digits than JavaScript holds, which parsing keeps as written.
  if (Object.getPrototypeOf(value) === null) return undefined
  return toRecord(value, depth)
}

function toRecord(value: object, depth: number): CedarValue | undefined {
  const entries: [string, CedarValue][] = []
  // Some servers treat two such keys as one, and choose one of the values.
  if (hasAlike(Object.keys(value))) return undefined
  for (const [key, item] of Object.entries(value)) {
    if (item === null) continue
    const converted = key.startsWith('__') || !key.isWellFormed() ? undefined : toCedar(item, depth + 1)
    if (converted === undefined) return undefined
    entries.push([key, converted])
  }
  return Object.fromEntries(entries)
}

function fromNumber(value: number): CedarValue | undefined {
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value
  const text = String(value)
  return DECIMAL.test(text) ? { __extn: { fn: 'decimal', arg: text } } : undefined
}
