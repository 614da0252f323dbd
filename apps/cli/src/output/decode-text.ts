import { invalid } from '@toolhaven/core/errors'

/** Otherwise, invalid UTF-8 would be replaced, and the server would get a different value. */
export function decodeText(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw invalid(`${what} is not valid UTF-8; convert it, or encode it as text, for example with base64`, error)
  }
}
