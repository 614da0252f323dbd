import { isUtf8 } from 'node:buffer'

/** A string of more bytes is long. */
const LONG = 1024
/** With more than this besides its long strings, a message is not worth an outline. */
const MAX_OUTLINE = 4096

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** In the place of a long string. A key it cannot be: then the outline is no JSON, and the message is read in whole. */
const LEFT_OUT = 'true'

/**
 * A JSON text with `true` in the place of its long strings, which are looked through here: whoever reads the outline knows
 * that the whole can be read, and all that it says but for them. Undefined where that is not so, or does not pay.
 */
export function outlineOf(bytes: Buffer, long = LONG): string | undefined {
  if (!isUtf8(bytes)) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let outline = ''
  let from = 0
  for (let at = 0; at < bytes.length; at++) {
    if (outline.length + at - from > MAX_OUTLINE) return undefined
    if (bytes[at] !== QUOTE) continue
    const end = endOfString(bytes, view, at + 1)
    if (end === -1) return undefined
    if (end - at - 1 > long) {
      outline += bytes.toString('utf8', from, at) + LEFT_OUT
      from = end + 1
    }
    at = end
  }
  return outline + bytes.toString('utf8', from)
}

/** Whether a value of an outline is the message's own. */
export function isWhole(value: unknown): boolean {
  return !JSON.stringify(value).includes(LEFT_OUT)
}

const IS_ORDINARY = new Uint8Array(256).fill(1, 0x20)
IS_ORDINARY[QUOTE] = 0
IS_ORDINARY[BACKSLASH] = 0

/** Where its quote is; -1 when it has none, or has something in it that no string may have. */
function endOfString(bytes: Buffer, view: DataView, start: number): number {
  for (let at = start; ;) {
    at = ordinaryUntil(view, at)
    while (IS_ORDINARY[bytes[at] ?? 0] === 1) at++
    if (bytes[at] === QUOTE) return at
    const length = bytes[at] === BACKSLASH ? escapeLength(bytes, at) : 0
    if (length === 0) return -1
    at += length
  }
}

/** Looks at four bytes at once, which is most of what an outline costs; the last few may be ordinary too. */
function ordinaryUntil(view: DataView, start: number): number {
  const lastWord = view.byteLength - 4
  let at = start
  while (at <= lastWord && isOrdinary(view.getInt32(at))) at += 4
  return at
}

/** None of the four bytes is a quote, a backslash or below a space. */
function isOrdinary(word: number): boolean {
  const quotes = word ^ 0x22222222
  const backslashes = word ^ 0x5c5c5c5c
  const found =
    ((word - 0x20202020) & ~word) | ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes)
  return (found & 0x80808080) === 0
}

/** By what stands behind the backslash. */
const ESCAPE_LENGTHS = new Uint8Array(256)
for (const code of Buffer.from('"\\/bfnrt')) ESCAPE_LENGTHS[code] = 2
for (const code of Buffer.from('u')) ESCAPE_LENGTHS[code] = 6
const FOUR_DIGITS = /^[\da-f]{4}$/i

/** With the backslash, which is at `at`; 0 when there is no such escape. */
function escapeLength(bytes: Buffer, at: number): number {
  const length = ESCAPE_LENGTHS[bytes[at + 1] ?? 0] ?? 0
  return length < 6 || FOUR_DIGITS.test(bytes.toString('latin1', at + 2, at + 6)) ? length : 0
}
