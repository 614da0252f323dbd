import { isIP, isIPv4 } from 'node:net'
import type { Destination } from './outbound-policy.ts'

/** A label of a name as the internet knows it; `_` occurs in names of services. */
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/
const LONGEST_NAME = 253

/**
 * Reads `name:443`, `192.0.2.1:443` or `[2001:db8::1]:443`, and nothing looser: one spelling for each place, so that what was
 * judged is what is dialled. Undefined when it is anything else.
 */
export function readAuthority(text: string): Destination | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]@/\\\s]+)):([1-9]\d{0,4})$/.exec(text) ?? []
  const port = Number(digits)
  if (digits === undefined || port > 65_535) return undefined
  const host = bracketed === undefined ? readHost(plain ?? '') : readIPv6(bracketed)
  return host === undefined ? undefined : { host, port }
}

/** Reads the target of a plain request: `http://name[:port]/path`. */
export function readAbsoluteForm(text: string): (Destination & { path: string }) | undefined {
  const [, authority, rest] = /^http:\/\/([^/?#\s]+)(\/[^\s#]*)?$/.exec(text) ?? []
  if (authority === undefined) return undefined
  const hasPort = /:\d+$/.test(authority)
  const place = readAuthority(hasPort ? authority : `${authority}:80`)
  return place === undefined ? undefined : { ...place, path: rest ?? '/' }
}

function readHost(text: string): string | undefined {
  if (isIPv4(text)) return text
  const name = text.toLowerCase()
  const labels = name.split('.')
  // 2130706433, 0x7f.1 and 127.1 are addresses to some resolvers: what ends in a number is no name.
  if (
    name.length > LONGEST_NAME ||
    !labels.every((label) => LABEL.test(label)) ||
    /^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')
  )
    return undefined
  return name === 'localhost' || name.endsWith('.localhost') ? undefined : name
}

/** In the only spelling that the lists know, as the URL standard writes it. */
function readIPv6(text: string): string | undefined {
  if (isIP(text) !== 6) return undefined
  return URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1)
}
