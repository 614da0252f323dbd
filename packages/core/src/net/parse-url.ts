/**
 * Undefined for an invalid URL. `URL` silently drops tabs, line breaks and spaces, so the stored text would differ from the address
 * that is called.
 */
export function parseUrl(text: string): URL | undefined {
  return /[\s\p{Cc}]/u.test(text) ? undefined : (URL.parse(text) ?? undefined)
}
