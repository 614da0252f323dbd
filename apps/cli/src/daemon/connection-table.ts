import { readFileSync } from 'node:fs'
import { isIPv4 } from 'node:net'

export interface End {
  address: string
  port: number
}

/** What the kernel says about one end of a TCP connection. */
export interface ConnectionRow {
  isEstablished: boolean
  owner: number
  /** 0 if no process holds the socket any more. */
  inode: number
}

/** The rows of the sockets in this network namespace whose local end is `from` and whose remote end is `to`. */
export function connectionRows(from: End, to: End): ConnectionRow[] {
  const ends = [spell(from), spell(to)]
  const inIPv4 = ends.every(({ ipv4 }) => ipv4 !== undefined)
  const rows = inIPv4 ? rowsOf(readTable('/proc/net/tcp'), ` ${ends.map(({ ipv4 }) => ipv4).join(' ')} `) : []
  // An IPv4 connection is in this table if its socket is an IPv6 socket.
  return rows.length > 0 ? rows : rowsOf(readTable('/proc/net/tcp6'), ` ${ends.map(({ ipv6 }) => ipv6).join(' ')} `)
}

function readTable(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return '' // No IPv6 on this machine, or no /proc: a row that cannot be read counts as missing.
  }
}

/** Searches the text and splits only the rows it finds: parsing thousands of rows would take most of the check's time. */
function rowsOf(table: string, pair: string): ConnectionRow[] {
  const rows: ConnectionRow[] = []
  for (let at = table.indexOf(pair); at !== -1; at = table.indexOf(pair, at + pair.length))
    rows.push(parseRow(table.slice(at + pair.length, table.indexOf('\n', at))))
  return rows
}

const ESTABLISHED = '01'

/** The columns after the two addresses: st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode … */
function parseRow(columns: string): ConnectionRow {
  const [state, , , , owner, , inode] = columns.trim().split(/\s+/)
  return { isEstablished: state === ESTABLISHED, owner: Number(owner), inode: Number(inode) }
}

function spell({ address, port }: End): { ipv4?: string; ipv6: string } {
  const suffix = `:${hex(port, 4)}`
  const groups = groupsOf(address)
  const words = [0, 2, 4, 6].map((at) => word(groups[at] ?? 0, groups[at + 1] ?? 0))
  const ipv6 = `${words.join('')}${suffix}`
  return isMapped(groups) ? { ipv4: `${words[3]}${suffix}`, ipv6 } : { ipv6 }
}

/** The kernel prints each 32-bit word in the processor's order: little-endian on x64 and arm64, the ones we support. */
function word(high: number, low: number): string {
  return [low & 0xff, low >> 8, high & 0xff, high >> 8].map((byte) => hex(byte, 2)).join('')
}

const hex = (value: number, digits: number) => value.toString(16).toUpperCase().padStart(digits, '0')

const isMapped = (groups: readonly number[]) => groups.slice(0, 6).join() === '0,0,0,0,0,65535'

/** The eight groups of an address; an IPv4 address becomes the IPv6 address that it is mapped to. */
function groupsOf(address: string): number[] {
  const [ipv6 = ''] = isIPv4(address) ? [`::ffff:${address}`] : address.split('%')
  const compressed = new URL(`http://[${ipv6}]`).hostname.slice(1, -1)
  const [left = [], right = []] = compressed.split('::').map(hexGroups)
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0)
  return [...left, ...zeros, ...right]
}

const hexGroups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
