import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

/**
 * On Linux the kernel says which user owns the other end of a loopback connection: only our own user (and root, who
 * could do anything anyway) is let in. Elsewhere nobody can tell, and a token is the way (SECURITY.md).
 */
export function createPeerCheck(platform: NodeJS.Platform, uid: number): (socket: Socket) => boolean {
  if (platform !== 'linux') return () => true
  return (socket) => {
    const { remoteAddress, remotePort, localAddress, localPort } = socket
    if (!remoteAddress || !localAddress || remotePort === undefined || localPort === undefined) return false
    if (!isLoopbackAddress(remoteAddress)) return true // only possible where a token protects the port
    const owner = ownerOf({ address: remoteAddress, port: remotePort }, { address: localAddress, port: localPort })
    return owner === uid || owner === 0
  }
}

interface End {
  address: string
  port: number
}

/** User id of the socket whose local end is `from` and whose remote end is `to`. */
function ownerOf(from: End, to: End): number | undefined {
  const pairs = [...spellings(from)].flatMap((a) => [...spellings(to)].map((b) => ` ${a} ${b} `))
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    // Searched, not taken apart: with thousands of connections on the machine that is most of the time a check takes.
    const text = readTable(table)
    for (const pair of pairs) {
      const at = text.indexOf(pair)
      if (at === -1) continue
      const [, , , , user] = text
        .slice(at + pair.length, text.indexOf('\n', at))
        .trim()
        .split(/\s+/)
      return Number(user)
    }
  }
  return undefined
}

function readTable(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // no IPv6 on this machine
  }
}

/** The kernel writes addresses as words in the order of the processor; an IPv4 end may also stand in the IPv6 table. */
function spellings({ address, port }: End): Set<string> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const ipv4 = address.replace(/^::ffff:/i, '')
  if (/^\d+\.\d+\.\d+\.\d+$/.test(ipv4)) {
    const word = littleEndian(ipv4.split('.').map(Number))
    return new Set([`${word}${suffix}`, `0000000000000000${littleEndian([0, 0, 255, 255])}${word}${suffix}`])
  }
  return new Set([`000000000000000000000000${littleEndian([0, 0, 0, 1])}${suffix}`])
}

/** Both processors we support (x64, arm64) are little-endian. */
function littleEndian(bytes: readonly number[]): string {
  return bytes
    .toReversed()
    .map((byte) => byte.toString(16).toUpperCase().padStart(2, '0'))
    .join('')
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./i.test(address)
}
