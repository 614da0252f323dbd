import { isIP, isIPv4 } from 'node:net'
import { plainIPv6 } from '@toolhaven/contract/listed-host'
import type { Destination } from './outbound-policy.ts'

/** A label of a DNS name; `_` occurs in names of services. */
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/
const LONGEST_NAME = 253

/**
 * Reads `name:443`, `192.0.2.1:443` or `[2001:db8::1]:443`. It accepts only one spelling for each destination, so that what was
 * checked is what is dialled. Undefined for anything else.
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

/** A name in lower case. Undefined for anything else. */
export function readName(text: string): string | undefined {
  const name = text.toLowerCase()
  const labels = name.split('.')
  // Some resolvers read 2130706433, 0x7f.1 and 127.1 as addresses, so a text that ends in a number is not a name.
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

/** Length of the line before a direct connection, including its newline. */
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
