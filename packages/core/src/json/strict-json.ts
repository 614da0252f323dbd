import { invalid, type ThvError } from '../errors.ts'

export interface JsonLimits {
  /** How deep arrays and objects may nest; a scalar alone has depth 0. */
  maxDepth: number
  /** Maximum number of values, including objects and arrays (default: no limit). */
  maxValues?: number
}

/**
 * `JSON.parse` for text from outside. It gives the same values, but refuses a duplicate key, a `__proto__` key, a byte order mark
 * or too deep nesting, and names line and column. It scans the text before it makes a single value, so that a hostile text costs no
 * more than its length.
 */
export function parseJson(text: string, limits: JsonLimits): unknown {
  scan(text, limits)
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch (error) {
    throw invalid('the text is not valid JSON', error)
  }
}

const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const BYTE_ORDER_MARK = 0xfeff

const NUMBER_OR_WORD = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** The keys of an open object so far. Undefined for an open array. */
type Open = Set<string> | undefined

/** Checks grammar, depth, size and keys in one pass. It does not recurse, so that depth costs no stack. */
function scan(text: string, { maxDepth, maxValues = Infinity }: JsonLimits): void {
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) throw fault(text, 0, 'a byte order mark is not allowed')
  const open: Open[] = []
  let at = skipSpace(text, 0)
  for (let values = 1; ; values++) {
    if (values > maxValues) throw fault(text, at, `it holds more than ${maxValues} values`)
    const code = text.charCodeAt(at)
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (open.length === maxDepth) throw fault(text, at, `it nests deeper than ${maxDepth} levels`)
      const isObject = code === OPEN_BRACE
      const keys: Open = isObject ? new Set() : undefined
      at = skipSpace(text, at + 1)
      if (text.charCodeAt(at) === (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) {
        at += 1
      } else {
        open.push(keys)
        if (keys) at = scanKey(text, at, keys)
        continue
      }
    } else {
      at = scanScalar(text, at, code)
    }
    const next = afterValue(text, at, open)
    if (next === undefined) return
    at = next
  }
}

/** Closes the objects and arrays that end here. Returns the position of the next value, or undefined at the end of the text. */
function afterValue(text: string, from: number, open: Open[]): number | undefined {
  let at = from
  for (;;) {
    at = skipSpace(text, at)
    if (open.length === 0) {
      if (at < text.length) throw fault(text, at, 'there is more text after the value')
      return undefined
    }
    const keys = open.at(-1)
    const code = text.charCodeAt(at)
    if (code === COMMA) {
      at = skipSpace(text, at + 1)
      return keys ? scanKey(text, at, keys) : at
    }
    if (code !== (keys ? CLOSE_BRACE : CLOSE_BRACKET)) throw unexpected(text, at, keys ? '"," or "}"' : '"," or "]"')
    open.pop()
    at += 1
  }
}

/** Reads `"key" :` and returns the position of the value. */
function scanKey(text: string, at: number, keys: Set<string>): number {
  if (text.charCodeAt(at) !== QUOTE) throw unexpected(text, at, 'a key in double quotes')
  const end = scanString(text, at)
  const key = decode(text.slice(at, end))
  if (key === '__proto__') throw fault(text, at, 'the key "__proto__" is not allowed')
  if (keys.has(key)) throw fault(text, at, `the key ${JSON.stringify(shorten(key))} appears twice`)
  keys.add(key)
  const colon = skipSpace(text, end)
  if (text.charCodeAt(colon) !== COLON) throw unexpected(text, colon, '":"')
  return skipSpace(text, colon + 1)
}

function decode(literal: string): string {
  return literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1)
}

function scanScalar(text: string, at: number, code: number): number {
  if (code === QUOTE) return scanString(text, at)
  NUMBER_OR_WORD.lastIndex = at
  if (!NUMBER_OR_WORD.test(text)) throw unexpected(text, at, 'a value')
  return NUMBER_OR_WORD.lastIndex
}

function scanString(text: string, start: number): number {
  let at = start + 1
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH) {
      ESCAPE.lastIndex = at
      if (!ESCAPE.test(text)) throw fault(text, at, 'this escape is not known')
      at = ESCAPE.lastIndex
    } else if (code >= SPACE) {
      at += 1
    } else if (at >= text.length) {
      throw fault(text, start, 'the string that begins here does not end')
    } else {
      throw fault(text, at, 'a control character in a string must be escaped')
    }
  }
}

function skipSpace(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== SPACE && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB) return at
    at += 1
  }
}

function unexpected(text: string, at: number, wanted: string): ThvError {
  return fault(text, at, at >= text.length ? `it ends where ${wanted} is needed` : `${wanted} is needed here`)
}

function fault(text: string, at: number, reason: string): ThvError {
  const before = text.slice(0, at)
  const lineStart = before.lastIndexOf('\n') + 1
  const line = before.split('\n').length
  return invalid(`the JSON text is not acceptable at line ${line}, column ${at - lineStart + 1}: ${reason}`)
}

const shorten = (key: string) => (key.length > 60 ? `${key.slice(0, 60)}…` : key)
