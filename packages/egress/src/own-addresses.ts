import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'

const LATEST_MS = 1000

/**
 * Reads them at most once a second, because each dial asks. Nothing in a sandbox can give this machine an address, and without the
 * cache, an address added between the check and the dial would be missed too.
 */
export function createOwnAddresses(now = () => performance.now(), read = ownAddresses): () => readonly string[] {
  let last: { at: number; addresses: readonly string[] } | undefined
  return () => {
    const at = now()
    if (last === undefined || at - last.at >= LATEST_MS) last = { at, addresses: read() }
    return last.addresses
  }
}

/** Addresses of this machine, most with the length of their network's prefix, and networks that it is connected to. */
export function ownAddresses(): string[] {
  const active = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .map(({ address, cidr }) => cidr ?? address)
  // Node omits interfaces without carrier, but their addresses still lead to this machine.
  const known = [
    ...parseRoutes(readText('/proc/net/fib_trie')),
    ...parseIPv6(readText('/proc/net/if_inet6')),
    ...parseIPv6Routes(readText('/proc/net/ipv6_route')),
  ]
  return [...new Set([...active, ...known])]
}

/** Lines of the routing tables: `|-- 192.0.2.7`, and below it each route that begins there: `/32 host LOCAL`. */
function parseRoutes(table: string): string[] {
  const found: string[] = []
  let address = ''
  for (const line of table.split('\n')) {
    const [, begins] = /^ *\|-- ([\d.]+)$/.exec(line) ?? []
    const [, length, scope, type] = /^ *\/(\d+) (\w+) (\w+)/.exec(line) ?? []
    if (begins !== undefined) address = begins
    else if (type === 'LOCAL' || (type === 'UNICAST' && scope === 'link')) found.push(`${address}/${length}`)
  }
  return found
}

/** Lines are "address index prefix-length scope flags name", all numbers in hexadecimal. */
export function parseIPv6(table: string): string[] {
  return table.split('\n').flatMap((line) => {
    const [, address = '', length = ''] = /^([\da-f]{32}) [\da-f]+ ([\da-f]{2}) /.exec(line) ?? []
    return address === '' ? [] : showIPv6(address, length)
  })
}

/**
 * Lines are "network prefix-length source its-length gateway metric references uses flags interface", all numbers in hexadecimal.
 * What is reached without a gateway is this machine or a neighbour, whatever addresses its interfaces have.
 */
function parseIPv6Routes(table: string): string[] {
  return table.split('\n').flatMap((line) => {
    const [network = '', length = '', , , , , , , flags = ''] = line.split(/\s+/)
    const isNear = flags !== '' && (Number.parseInt(flags, 16) & (GATEWAY | REJECT)) === 0
    return isNear ? showIPv6(network, length) : []
  })
}

/** Flags of routes, as in linux/route.h. */
const GATEWAY = 0x2
const REJECT = 0x200

const showIPv6 = (digits: string, length: string) =>
  `${digits.match(/.{4}/g)?.join(':')}/${Number.parseInt(length, 16)}`

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The file exists only on Linux.
    return ''
  }
}
