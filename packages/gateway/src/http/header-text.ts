const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/

/** Text that can be sent in a header as it is. */
const PLAIN = /^(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?$/

/** Encodes any text as a header value, as revision 2026-07-28 requires. */
export function encodeHeader(text: string): string {
  if (PLAIN.test(text) && !isMarked(text)) return text
  return `=?base64?${Buffer.from(text).toString('base64')}?=`
}

/** Decodes a header value that may carry any text. Undefined when its encoding is broken. */
export function decodeHeader(value: string): string | undefined {
  if (!isMarked(value)) return value
  const [, base64] = ENCODED.exec(value) ?? []
  if (base64 === undefined || base64.length % 4 !== 0) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))
  } catch {
    // Not UTF-8. The caller reports it.
    return undefined
  }
}

function isMarked(text: string): boolean {
  return text.startsWith('=?base64?') && text.endsWith('?=')
}
