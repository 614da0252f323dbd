/** Strings with more bytes than this are long. */
const LONG = 1024
/** A message with more than this besides its long strings is not worth an outline. */
const MAX_OUTLINE = 4096

const QUOTE = 0x22
const BACKSLASH = 0x5c
/**
 * Stands in for a long string. It is invalid as a key, so the outline is then not JSON and the whole message is parsed.
 */
const LEFT_OUT = 'true'

/**
 * A JSON text with `true` in place of its long strings, which are checked here: if the outline can be parsed, so can
 * the whole message, which says the same except for those strings. Undefined where that is not so, or does not pay.
 * Each part must be valid UTF-8.
 */
export function outlineOf(parts: readonly Buffer[], long = LONG): string | undefined {
  const outline = new Outline(long)
  return parts.every((part) => outline.take(part)) ? outline.end() : undefined
}

/** Whether a value of the outline contains no left-out string. */
export function isWhole(value: unknown): boolean {
  return !JSON.stringify(value).includes(LEFT_OUT)
}

class Outline {
  readonly #long: number
  #text = ''
  #isInString = false
  /** Bytes of the current string so far. */
  #bytes = 0
  #said = ''
  /** Half an escape sequence at the end of a part. */
  #rest: Buffer | undefined

  constructor(long: number) {
    this.#long = long
  }

  take(part: Buffer): boolean {
    const bytes = this.#rest === undefined ? part : Buffer.concat([this.#rest, part])
    this.#rest = undefined
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    for (let at = 0; at < bytes.length;) {
      const end = this.#isInString ? this.#takeString(bytes, view, at) : this.#takeOther(bytes, at)
      if (end === -1) return false
      at = end
    }
    return true
  }

  end(): string | undefined {
    return this.#isInString || this.#rest !== undefined ? undefined : this.#text
  }

  /** Skips to the position after the next quote. */
  #takeOther(bytes: Buffer, from: number): number {
    const quote = bytes.indexOf(QUOTE, from)
    const end = quote === -1 ? bytes.length : quote
    if (this.#text.length + end - from > MAX_OUTLINE) return -1
    this.#text += bytes.toString('utf8', from, end)
    this.#isInString = quote !== -1
    this.#bytes = 0
    this.#said = ''
    return end + 1
  }

  #takeString(bytes: Buffer, view: DataView, from: number): number {
    const end = endOfString(bytes, view, from)
    if (end === -1) return -1
    this.#bytes += end - from
    if (this.#bytes <= this.#long) this.#said += bytes.toString('utf8', from, end)
    if (bytes[end] === BACKSLASH) this.#rest = bytes.subarray(end)
    if (bytes[end] !== QUOTE) return bytes.length
    this.#text += this.#bytes > this.#long ? LEFT_OUT : `"${this.#said}"`
    this.#isInString = false
    return end + 1
  }
}

const IS_ORDINARY = new Uint8Array(256).fill(1, 0x20)
IS_ORDINARY[QUOTE] = 0
IS_ORDINARY[BACKSLASH] = 0

/**
 * The position of the closing quote, of a half escape sequence at the end of the bytes, or of their end. -1 when the
 * string contains something invalid.
 */
function endOfString(bytes: Buffer, view: DataView, start: number): number {
  for (let at = start; ;) {
    at = ordinaryUntil(view, at)
    while (at < bytes.length && IS_ORDINARY[bytes[at] ?? 0] === 1) at++
    if (at === bytes.length || bytes[at] === QUOTE) return at
    const length = bytes[at] === BACKSLASH ? escapeLength(bytes, at) : 0
    if (length === 0) return -1
    if (at + length > bytes.length) return at
    at += length
  }
}

/** Looks at sixteen bytes at once, which is most of what an outline costs. It may stop a few ordinary bytes early. */
function ordinaryUntil(view: DataView, start: number): number {
  const last = view.byteLength - 16
  let at = start
  while (at <= last) {
    const found =
      unusual(view.getInt32(at, true)) |
      unusual(view.getInt32(at + 4, true)) |
      unusual(view.getInt32(at + 8, true)) |
      unusual(view.getInt32(at + 12, true))
    if ((found & 0x80808080) !== 0) return at
    at += 16
  }
  return at
}

/**
 * Sets the highest bit of each byte that is a quote, a backslash or below a space, and perhaps of the byte after it.
 */
function unusual(word: number): number {
  const quotes = word ^ 0x22222222
  const backslashes = word ^ 0x5c5c5c5c
  return ((word - 0x20202020) & ~word) | ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes)
}

/** Indexed by the character after the backslash. */
const ESCAPE_LENGTHS = new Uint8Array(256)
for (const code of Buffer.from('"\\/bfnrt')) ESCAPE_LENGTHS[code] = 2
for (const code of Buffer.from('u')) ESCAPE_LENGTHS[code] = 6
const HEX_DIGITS = /^[\da-f]*$/i

/**
 * Length of the escape sequence whose backslash is at `at`, even if the bytes end before it does. 0 when there is no
 * such escape.
 */
function escapeLength(bytes: Buffer, at: number): number {
  const kind = bytes[at + 1]
  if (kind === undefined) return 2
  const length = ESCAPE_LENGTHS[kind] ?? 0
  return length < 6 || HEX_DIGITS.test(bytes.toString('latin1', at + 2, at + 6)) ? length : 0
}
