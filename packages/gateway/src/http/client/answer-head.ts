import type { IncomingHttpHeaders } from 'node:http'
import { HEADER_NAME, NOT_IN_HEADER_VALUE } from '../head-grammar.ts'

/**
 * What the server sent is not HTTP. It has no `code`: the connection did not break, and a second request would bring
 * the same.
 */
export class MalformedAnswer extends Error {
  constructor(what: string) {
    super(`the server's answer is not well-formed HTTP: ${what}`)
  }
}

export interface AnswerHead {
  status: number
  headers: IncomingHttpHeaders
  /** How many bytes of body follow, or how else its end is found. */
  body: number | 'chunked' | 'until-close'
  /** How long the connection can be used for other calls afterwards. 0: not at all. */
  keptMs: number
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: [\t\x20-\x7e\x80-\xff]*)?$/
/** Enough for any answer, and exact as a number. */
const LENGTH = /^[0-9]{1,15}$/
const CLOSE = /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i
const KEPT_SECONDS = /timeout=(\d{1,9})/
const KEPT_MS = 4000
const LONGEST_KEPT_MS = 600_000
/** Kept shorter than the server says, so that no call meets the server just as it closes. */
const KEPT_SHORTER_MS = 2000

/** Headers of which only the first counts, as in `node:http`. */
const FIRST_ONLY: ReadonlySet<string> = new Set([
  'age',
  'authorization',
  'content-length',
  'content-type',
  'etag',
  'expires',
  'from',
  'host',
  'if-modified-since',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'retry-after',
  'server',
  'user-agent',
])

/** `text` is the head without the empty line at its end. */
export function parseAnswerHead(text: string): AnswerHead {
  const statusEnd = endOfLine(text, 0)
  const [, minor, status] = STATUS_LINE.exec(text.slice(0, statusEnd)) ?? []
  if (status === undefined) throw new MalformedAnswer('its first line is not a status line')
  // Each of the two says where the answer ends, so they are counted: with several, there would be several ends to
  // choose from.
  const lengths: string[] = []
  const encodings: string[] = []
  const headers: IncomingHttpHeaders = {}
  for (let start = statusEnd + 2; start < text.length;) {
    const end = endOfLine(text, start)
    const [name, value] = parseHeaderLine(text, start, end)
    if (name === 'content-length') lengths.push(value)
    else if (name === 'transfer-encoding') encodings.push(value)
    addHeader(headers, name, value)
    start = end + 2
  }
  const isKept = minor === '1' && !(headers.connection !== undefined && CLOSE.test(headers.connection))
  const keptMs = isKept ? keptMsOf(headers['keep-alive']) : 0
  // Several answers may share these headers.
  return { ...bodyOf(Number(status), lengths, encodings, keptMs), headers: Object.freeze(headers) }
}

/** Parses the line from `start` to `end` of `text`. Returns its name in lower case. */
export function parseHeaderLine(text: string, start: number, end: number): [name: string, value: string] {
  const colon = text.indexOf(':', start)
  if (colon === -1 || colon >= end) throw new MalformedAnswer('a header line has no colon')
  const name = text.slice(start, colon)
  if (!HEADER_NAME.test(name)) throw new MalformedAnswer('a header has an invalid name')
  const value = trimmed(text, colon + 1, end)
  if (NOT_IN_HEADER_VALUE.test(value))
    throw new MalformedAnswer(`the header ${name} has characters that are not allowed`)
  return [name.toLowerCase(), value]
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\r\n', start)
  return end === -1 ? text.length : end
}

function trimmed(text: string, from: number, to: number): string {
  let start = from
  let end = to
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

function addHeader(headers: IncomingHttpHeaders, name: string, value: string): void {
  if (name === 'set-cookie') {
    headers['set-cookie'] = [...(headers['set-cookie'] ?? []), value]
    return
  }
  const known = Object.hasOwn(headers, name) ? headers[name] : undefined
  if (known === undefined) headers[name] = value
  else if (!FIRST_ONLY.has(name)) headers[name] = `${String(known)}${name === 'cookie' ? '; ' : ', '}${value}`
}

function keptMsOf(keepAlive: string | string[] | undefined): number {
  const [, seconds] = (typeof keepAlive === 'string' && KEPT_SECONDS.exec(keepAlive)) || []
  if (seconds === undefined) return KEPT_MS
  return Math.max(0, Math.min(Number(seconds) * 1000 - KEPT_SHORTER_MS, LONGEST_KEPT_MS))
}

function bodyOf(
  status: number,
  lengths: readonly string[],
  encodings: readonly string[],
  keptMs: number,
): Omit<AnswerHead, 'headers'> {
  const [length] = lengths
  const [encoding] = encodings
  if (lengths.length + encodings.length > 1)
    throw new MalformedAnswer('it has more than one content-length or transfer-encoding')
  if (length !== undefined && !LENGTH.test(length)) throw new MalformedAnswer('its content-length is not a number')
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked')
    throw new MalformedAnswer('its transfer-encoding is not chunked')
  if (status === 101) throw new MalformedAnswer('it changes to a protocol that was not requested')
  if (status < 200 || status === 204 || status === 304) {
    // A body must not follow, but one may follow anyway, and there is no way to tell.
    const saysBody = encoding !== undefined || (length !== undefined && Number(length) > 0)
    return { status, body: 0, keptMs: saysBody ? 0 : keptMs }
  }
  if (encoding !== undefined) return { status, body: 'chunked', keptMs }
  if (length !== undefined) return { status, body: Number(length), keptMs }
  return { status, body: 'until-close', keptMs: 0 }
}
