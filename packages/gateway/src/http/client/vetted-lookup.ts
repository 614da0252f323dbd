import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { type AddressReach, reachWithOwn } from '@toolhaven/core/net/address-reach'
import { hostReach } from '@toolhaven/core/net/host-reach'
import { unavailable } from '@toolhaven/core/errors'

type Resolve = (
  host: string,
  options: { all: true; family?: number | 'IPv4' | 'IPv6' | undefined },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

/** Where a server may be. */
export interface Vetting {
  /** Also leaves out addresses of this machine and of private networks. */
  publicOnly?: boolean | undefined
  /** See `Host`. */
  ownAddresses?: (() => readonly string[]) | undefined
}

interface LookupOptions extends Vetting {
  resolve?: Resolve
}

/**
 * Looks names up as the system does, and leaves out addresses where nobody would run a server on purpose: link-local,
 * metadata, multicast and reserved ones. A remote server on this machine or its network is the user's own choice and
 * stays reachable.
 */
export function vettedLookup({ resolve = systemLookup, ...vetting }: LookupOptions = {}): LookupFunction {
  const { publicOnly = false } = vetting
  return (host, { all, family }, callback) => {
    resolve(host, { all: true, family }, (error, found) => {
      if (error !== null) return callback(error, '')
      const own = ownOf(vetting)
      const addresses = found.filter(({ address }) => isReachable(reachWithOwn(address, own), publicOnly))
      const [first] = addresses
      if (first === undefined) return callback(refusedAddress(host, publicOnly), '')
      if (all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

/** Checks what no lookup sees: an address in the URL itself, and a name that stands for a metadata service. */
export function checkHost({ hostname }: URL, vetting: Vetting = {}): void {
  const { publicOnly = false } = vetting
  const reach = hostReach(hostname, ownOf(vetting))
  if (reach !== 'name' && !isReachable(reach, publicOnly))
    throw refusedAddress(hostname.replace(/^\[|\]$/g, ''), publicOnly)
}

/** Only where it makes a difference: the user's own choice may be this machine. */
const ownOf = ({ publicOnly, ownAddresses }: Vetting) => (publicOnly ? (ownAddresses?.() ?? []) : [])

const isReachable = (reach: AddressReach, publicOnly: boolean) =>
  reach === 'public' || (reach === 'private' && !publicOnly)

function refusedAddress(host: string, publicOnly: boolean) {
  if (publicOnly)
    return unavailable(
      `${host} has no public address, and a private one was not confirmed. Edit the workload with accept_network: true`,
    )
  return unavailable(`${host} is an address where no MCP server can be. Give the workload another url`)
}
