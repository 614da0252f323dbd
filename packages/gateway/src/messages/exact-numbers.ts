import { randomUUID } from 'node:crypto'

/** From this length on it pays to look for the long numbers first. */
const SHORT = 4096
/** A double cannot hold every number with at least this many digits. */
export const LONG_DIGITS = 16

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const OF_NUMBERS = /[\d.eE+-]/
const KEY_END = /\s*:/y

/**
 * Reads JSON so that integers keep all their digits on the way through the gateway, although JavaScript could not count
 * with them. `long`: the positions in the text of the sixteenth digit of a row. A reviver runs for every value, which
 * takes a minute for a large list with one such number in it. So the numbers go in as marked strings and are replaced
 * where those appear.
 */
export function parseExactly(text: string, long: readonly number[]): unknown {
  if (text.length < SHORT) return JSON.parse(text, asWritten)
  const mark = `${randomUUID()}:`
  const sources: string[] = []
  let marked = ''
  let done = 0
  for (const at of long) {
    // A number may have another long row of digits behind its decimal point.
    if (at < done) continue
    let start = at - LONG_DIGITS + 1
    while (start > done && OF_NUMBERS.test(text.charAt(start - 1))) start--
    const source = matchAt(NUMBER, text, start)
    const end = start + source.length
    const isNumber = source !== '' && !OF_NUMBERS.test(text.charAt(end)) && matchAt(KEY_END, text, end) === ''
    // Not JSON: let the parser say so.
    if (!isNumber) return JSON.parse(text)
    const value = Number(source)
    const isKept = Number.isInteger(value) && !Number.isSafeInteger(value)
    marked += text.slice(done, start) + (isKept ? `"${mark}${sources.push(source) - 1}"` : source)
    done = end
  }
  return restored(JSON.parse(marked + text.slice(done)), (said) =>
    said.startsWith(mark) ? JSON.rawJSON(sources[Number(said.slice(mark.length))] ?? '') : undefined,
  )
}

function asWritten(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && Number.isInteger(value) && !Number.isSafeInteger(value)
    ? JSON.rawJSON(source)
    : value
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

/** Changes the value in place: it was just parsed, and is not nested deeply. */
function restored(value: unknown, numberOf: (text: string) => object | undefined): unknown {
  if (typeof value === 'string') return numberOf(value) ?? value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const list: unknown[] = value
    for (let at = 0; at < list.length; at++) {
      const item = list[at]
      if (typeof item !== 'number') list[at] = restored(item, numberOf)
    }
    return list
  }
  for (const [key, item] of Object.entries(value)) {
    const now = restored(item, numberOf)
    // Plain assignment would treat a key such as __proto__ specially.
    if (now !== item)
      Object.defineProperty(value, key, { value: now, enumerable: true, writable: true, configurable: true })
  }
  return value
}

declare global {
  /** https://github.com/tc39/proposal-json-parse-with-source, in Node since 21, not yet in TypeScript's library. */
  interface JSON {
    rawJSON(text: string): object
    isRawJSON(value: unknown): boolean
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  }
}
