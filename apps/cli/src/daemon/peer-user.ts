import { readFileSync } from 'node:fs'
import { BlockList, type Socket, isIP } from 'node:net'
import { connectionRows } from './connection-table.ts'

export type PeerCheck = (socket: Socket) => boolean

/**
 * Whether a caller may use one of Toolhaven's ports. On Linux the kernel tells which user owns the other end of a connection on this
 * machine, and only our own user is let in. On other systems nobody can tell, and a token is the protection (SECURITY.md).
 */
export function createPeerCheck(platform: NodeJS.Platform, uid: number): PeerCheck {
  if (platform !== 'linux') return () => true
  const isOurs = isOverflowId(uid) ? () => false : (socket: Socket) => isOwnedBy(socket, uid)
  const verdicts = new WeakMap<Socket, boolean>()
  return (socket) => {
    const known = verdicts.get(socket)
    if (known !== undefined) return known
    // The local address decides: a caller chooses which of the machine's addresses it comes from.
    const isAllowed = isOpenToNetwork(socket.localAddress) || isOurs(socket)
    verdicts.set(socket, isAllowed)
    return isAllowed
  }
}

/** The kernel prints its table page by page while connections come and go, so a row can be missed. */
const READS = 3

/**
 * A socket that its process has closed has no owner: the kernel shows it with user 0 and without an inode. So only an
 * established connection that a process still holds says who its user is. A row in another state is final: a connection
 * that its client has closed does not come back.
 */
function isOwnedBy({ remoteAddress, remotePort, localAddress, localPort }: Socket, uid: number): boolean {
  if (!remoteAddress || !localAddress || remotePort === undefined || localPort === undefined) return false
  const [client, server] = [
    { address: remoteAddress, port: remotePort },
    { address: localAddress, port: localPort },
  ]
  for (let read = 0; read < READS; read += 1) {
    const rows = connectionRows(client, server)
    if (rows.length > 0) return rows.every((row) => row.isEstablished && row.inode > 0 && row.owner === uid)
  }
  return false
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

/** Our ports listen on addresses other than loopback only where every caller must bring a token. */
function isOpenToNetwork(address = ''): boolean {
  const family = isIP(address)
  // An IPv4-mapped address counts as the one it is mapped to.
  return family !== 0 && !LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

const EVERY_ID_IS_MAPPED = /^\s*0\s+0\s+4294967295\s*$/

/** In a user namespace, the kernel shows every user without a name there as this one id. It is then nobody's in particular. */
function isOverflowId(uid: number): boolean {
  const isUsed = uid === Number(readText('/proc/sys/kernel/overflowuid', '65534'))
  return isUsed && !EVERY_ID_IS_MAPPED.test(readText('/proc/self/uid_map', ''))
}

function readText(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return otherwise
  }
}
