import type { IncomingHttpHeaders } from 'node:http'
import { END_OF_HEAD, MAX_HEAD_BYTES } from '../head-grammar.ts'

/** The head of a POST in its plainest form, which is what MCP clients send. */
export interface PlainHead {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: string[]
  readonly bodyBytes: number
  /** The head as it arrived, including the end of its last line. */
  readonly text: string
}

/** Allows only characters in their proper place: no other line ends, no folded lines, no space before a colon. */
const PLAIN = /^POST (\/[!-~]*) HTTP\/1\.1\r\n(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t -~]*\r\n)+$/
const LENGTH = /^\d{1,15}$/

/**
 * These say something about the connection, or about the body beyond its length, as `Proxy-Connection` does to Node.
 * `Set-Cookie` is a list in Node, and `__proto__` must not become a key.
 */
const NOT_PLAIN = new Set([
  ...['transfer-encoding', 'expect', 'upgrade', 'trailer', 'te', 'proxy-connection'],
  ...['set-cookie', '__proto__'],
])

/** Where the head that begins at `from` ends, including the empty line. -1: not within these bytes. */
export function endOfHead(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(END_OF_HEAD, from)
  return end === -1 ? -1 : end + END_OF_HEAD.length
}

/**
 * Undefined when the head is anything but plain, malformed or merely rare: then Node reads it. So this code need not
 * know what is wrong with a request or how to report it. `known` is an earlier head of the same connection: clients
 * repeat themselves.
 */
export function readPlainHead(bytes: Buffer, from: number, end: number, known?: PlainHead): PlainHead | undefined {
  if (end - from > MAX_HEAD_BYTES) return undefined
  const text = bytes.toString('latin1', from, end - 2)
  if (text === known?.text) return known
  const url = PLAIN.exec(text)?.[1]
  if (url === undefined) return undefined
  const headers: IncomingHttpHeaders = {}
  const rawHeaders: string[] = []
  for (let at = text.indexOf('\r\n') + 2; at < text.length;) {
    const colon = text.indexOf(':', at)
    const next = text.indexOf('\r\n', colon)
    const name = text.slice(at, colon)
    const value = text.slice(colon + 1, next).trim()
    const key = name.toLowerCase()
    // What a repeated header means depends on its name.
    if (NOT_PLAIN.has(key) || Object.hasOwn(headers, key)) return undefined
    headers[key] = value
    rawHeaders.push(name, value)
    at = next + 2
  }
  const { host, connection = 'keep-alive', 'content-length': length = '' } = headers
  if (host === undefined || connection.toLowerCase() !== 'keep-alive' || !LENGTH.test(length)) return undefined
  // Requests with the same head share these objects.
  return { url, headers: Object.freeze(headers), rawHeaders, bodyBytes: Number(length), text }
}
