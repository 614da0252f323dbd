import { parseListedHost, showHost } from '@toolhaven/contract/listed-host'
import { type AddressReach, reachWithOwn } from './address-reach.ts'

/** `name`: only a resolver can decide. */
export type HostReach = AddressReach | 'name'

/** Names of the cloud's metadata service. */
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
 * Where the host of a URL leads, judged by its text alone. Takes `hostname` of a parsed http or https URL: the parser has
 * normalised every notation of an IPv4 address, foreign dots and capitals. `own` as in `reachFromHere`: such addresses are private,
 * although others may reach them.
 */
export function hostReach(hostname: string, own: readonly string[] = []): HostReach {
  const host = hostname.replace(/\.+$/, '').toLowerCase()
  const address = host.startsWith('[') ? host.slice(1, -1) : host
  if (address !== host || /^\d+\.\d+\.\d+\.\d+$/.test(host)) return reachWithOwn(address, own)
  if (METADATA_NAMES.has(host)) return 'never'
  return host === 'localhost' || host.endsWith('.localhost') ? 'private' : 'name'
}

/**
 * The same for an entry of a list of hosts: a host, an address, or either with a port. A name with its port may resolve to a
 * private address, so it counts as private.
 */
export function listedHostReach(entry: string, own: readonly string[] = []): HostReach {
  const { host, port } = parseListedHost(entry) ?? { host: entry }
  const reach = hostReach(URL.parse(`http://${showHost(host)}`)?.hostname ?? host, own)
  return reach === 'name' && port !== undefined ? 'private' : reach
}
