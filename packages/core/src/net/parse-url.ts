/** Undefined for what is no URL. `URL` itself drops tabs, line breaks and spaces, so that what is stored is not what is called. */
export function parseUrl(text: string): URL | undefined {
  return /[\s\p{Cc}]/u.test(text) ? undefined : (URL.parse(text) ?? undefined)
}
