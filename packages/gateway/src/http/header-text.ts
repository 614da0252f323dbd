const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/

/** What can stand in a header as it is. */
const PLAIN = /^(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?$/

/** Any text as the value of a header, the way revision 2026-07-28 writes it. */
export function encodeHeader(text: string): string {
  if (PLAIN.test(text) && !isMarked(text)) return text
  return `=?base64?${Buffer.from(text).toString('base64')}?=`
}

/** The value of a header that may carry any text; undefined when its encoding is broken. */
export function decodeHeader(value: string): string | undefined {
  if (!isMarked(value)) return value
  const [, base64] = ENCODED.exec(value) ?? []
  if (base64 === undefined || base64.length % 4 !== 0) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))
  } catch {
    // Not UTF-8; the caller says so.
    return undefined
  }
}

function isMarked(text: string): boolean {
  return text.startsWith('=?base64?') && text.endsWith('?=')
}
