import { isIP, isIPv4 } from 'node:net'
import { plainIPv6 } from '@toolhaven/contract/listed-host'
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

const readHost = (text: string) => (isIPv4(text) ? text : readName(text))

/** A name in lower case; undefined when it is anything else. */
export function readName(text: string): string | undefined {
  const name = text.toLowerCase()
  const labels = name.split('.')
  // 2130706433, 0x7f.1 and 127.1 are addresses to some resolvers: what ends in a number is no name.
  if (
    name.length > LONGEST_NAME ||
    !labels.every((label) => LABEL.test(label)) ||
    /^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')
  )
    return undefined
  return name.endsWith('.localhost') ? undefined : name
}

function readIPv6(text: string): string | undefined {
  return isIP(text) === 6 ? plainIPv6(text) : undefined
}

/** Of the line before a direct connection, with its end. */
export const LONGEST_LINE = 52

/** Reads `192.0.2.1 443` or `2001:db8::1 443`. A socket for both families shows IPv4 inside IPv6: that is the IPv4 address. */
export function readDialled(line: string): Destination | undefined {
  const [, address = '', digits] = /^([\da-fA-F:.]+) ([1-9]\d{0,4})$/.exec(line) ?? []
  const port = Number(digits)
  if (digits === undefined || port > 65_535) return undefined
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  const host = isIPv4(plain) ? plain : readIPv6(address)
  return host === undefined ? undefined : { host, port }
}
