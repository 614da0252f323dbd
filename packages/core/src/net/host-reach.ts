import { parseListedHost, showHost } from '@toolhaven/contract/listed-host'
import { type AddressReach, reachWithOwn } from './address-reach.ts'

/** `name`: only a resolver can tell. */
export type HostReach = AddressReach | 'name'

/** Names that lead to the metadata service of the machine's cloud. */
const METADATA_NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
  'metadata.packet.net',
  'rancher-metadata',
  'rancher-metadata.rancher.internal',
])

/**
 * Where the host of a URL leads, as far as its text tells. Takes `hostname` of a parsed http or https URL: the parser has
 * turned every notation of an IPv4 address into four decimal numbers, and foreign dots and capitals into plain ones. `own` as in
 * `reachFromHere`: such addresses are private, although others may reach them.
 */
export function hostReach(hostname: string, own: readonly string[] = []): HostReach {
  const host = hostname.replace(/\.+$/, '').toLowerCase()
  const address = host.startsWith('[') ? host.slice(1, -1) : host
  if (address !== host || /^\d+\.\d+\.\d+\.\d+$/.test(host)) return reachWithOwn(address, own)
  if (METADATA_NAMES.has(host)) return 'never'
  return host === 'localhost' || host.endsWith('.localhost') ? 'private' : 'name'
}

/**
 * The same of an entry of a list of hosts: a host, an address, or either with a port. With its port, a name may lead to a
 * private address, so it counts as private.
 */
export function listedHostReach(entry: string, own: readonly string[] = []): HostReach {
  const { host, port } = parseListedHost(entry) ?? { host: entry }
  const reach = hostReach(URL.parse(`http://${showHost(host)}`)?.hostname ?? host, own)
  return reach === 'name' && port !== undefined ? 'private' : reach
}
