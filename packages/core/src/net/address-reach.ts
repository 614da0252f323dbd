import ipaddr from 'ipaddr.js'

/**
 * Where an address leads.
 * - `public`: the internet. Nothing is embedded in it but a public IPv4 address, for the translator of an IPv6-only network.
 * - `private`: this machine or a network of its owner; reachable when private addresses are allowed.
 * - `never`: no MCP server can be there (link-local and other metadata addresses, multicast, unspecified,
 *   broadcast, reserved, documentation), or the address tunnels to another one that we cannot check.
 */
export type AddressReach = 'public' | 'private' | 'never'

export function isPublicAddress(address: string): boolean {
  return addressReach(address) === 'public'
}

/** Takes exactly what a resolver or a socket gives: four decimal parts, or IPv6 without brackets. Anything else is `never`. */
export function addressReach(address: string): AddressReach {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return reachOfIPv4(ipaddr.IPv4.parse(address))
  const groups = hexGroups(address)
  return groups === undefined ? 'never' : reachOfIPv6(ipaddr.IPv6.parse(groups))
}

/**
 * Where an address leads from a machine that has the addresses `own` itself (`192.0.2.7/24`): those count as its loopback. What
 * shares a network with it is private, also where such networks have public addresses, as is usual with IPv6.
 */
export function reachFromHere(address: string, own: readonly string[]): AddressReach | 'loopback' {
  const reach = addressReach(address)
  const plain = plainAddress(address)
  if (reach === 'never' || plain === undefined) return 'never'
  const isOwn = own.some((each) => plainAddress(each.split('/')[0] ?? '') === plain)
  if (plain === '::1' || plain.startsWith('127.') || isOwn) return 'loopback'
  return own.some((each) => isInNetwork(plain, each)) ? 'private' : reach
}

/** The same, for callers that only decide whether to ask the user: this machine counts as private, like its network. */
export function reachWithOwn(address: string, own: readonly string[]): AddressReach {
  const reach = reachFromHere(address, own)
  return reach === 'loopback' ? 'private' : reach
}

export function isSameAddress(one: string, other: string): boolean {
  return plainAddress(one) === plainAddress(other)
}

/** A VPN client may claim half of all addresses as its network. Such a prefix does not make its addresses private. */
const SHORTEST_PREFIX = { ipv4: 8, ipv6: 16 }

function isInNetwork(address: string, network: string): boolean {
  if (!ipaddr.isValidCIDR(network)) return false
  const [base, length] = ipaddr.parseCIDR(network)
  const parsed = ipaddr.parse(address)
  return parsed.kind() === base.kind() && length >= SHORTEST_PREFIX[base.kind()] && parsed.match(base, length)
}

/**
 * Whether an address is reserved for documentation, benchmarks or future use. No public host has one, but some networks use them
 * internally, and some VPN clients resolve every name to one.
 */
export function isReservedAddress(address: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(address) && ipaddr.IPv4.parse(address).range() === 'reserved'
}

/** A canonical spelling, so that addresses can be compared. An IPv4 address embedded in IPv6 becomes that IPv4 address. */
function plainAddress(address: string): string | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return address
  const groups = hexGroups(address)
  if (groups === undefined) return undefined
  const parsed = ipaddr.IPv6.parse(groups)
  const isTranslated = parsed.range() === 'ipv4Mapped' || isWellKnownNat64(parsed)
  return isTranslated ? new ipaddr.IPv4(parsed.toByteArray().slice(12)).toString() : groups
}

/**
 * IPv6 in hexadecimal groups only, as the URL standard writes it, because the library reads `::8.8.8.8` as `::ffff:8.8.8.8` and the
 * system does not. Undefined for anything but an IPv6 address without a zone.
 */
function hexGroups(address: string): string | undefined {
  const url = URL.parse(`http://[${address}]/`)
  return url?.host.startsWith('[') ? url.host.slice(1, -1) : undefined
}

/** Cloud metadata services outside the link-local ranges. A program that reaches them gets the machine's credentials. */
const METADATA_IPV4 = [
  '100.100.100.200', // Alibaba Cloud
  '168.63.129.16', // Azure
]
const METADATA_IPV6 = [
  'fd00:ec2::/32', // Amazon
  'fd20:ce::254/128', // Google
  'fd00:c1::a9fe:a9fe/128', // Oracle
  'fd00:42::42/128', // Scaleway
].map((range) => ipaddr.IPv6.parseCIDR(range))

function reachOfIPv4(address: ipaddr.IPv4): AddressReach {
  if (METADATA_IPV4.includes(address.toString())) return 'never'
  switch (address.range()) {
    case 'unicast':
      return 'public'
    case 'loopback':
    case 'private':
    case 'carrierGradeNat':
      return 'private'
    default:
      return 'never'
  }
}

function reachOfIPv6(address: ipaddr.IPv6): AddressReach {
  const range = address.range()
  if (METADATA_IPV6.some((metadata) => address.match(metadata))) return 'never'
  if (range === 'loopback' || range === 'uniqueLocal') return 'private'
  if (range === 'ipv4Mapped' || isWellKnownNat64(address)) {
    const reach = reachOfIPv4(new ipaddr.IPv4(address.toByteArray().slice(12)))
    // No resolver returns the mapped form of a public address.
    return reach === 'public' && range === 'ipv4Mapped' ? 'private' : reach
  }
  // Everything outside global unicast (IPv4-compatible, site-local, segment routing, local NAT64, not yet assigned) is refused
  // by this one line, whatever the library calls it.
  if (!address.match(GLOBAL_UNICAST)) return 'never'
  return range === 'unicast' && !isIsatap(address) ? 'public' : 'never'
}

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')
const WELL_KNOWN_NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

const isWellKnownNat64 = (address: ipaddr.IPv6) => address.match(WELL_KNOWN_NAT64)

/** RFC 5214: any prefix, then 0000:5efe or 0200:5efe, then an IPv4 address the packet is tunnelled to. */
function isIsatap(address: ipaddr.IPv6): boolean {
  const [, , , , high, low] = address.parts
  return (high === 0 || high === 0x200) && low === 0x5efe
}
