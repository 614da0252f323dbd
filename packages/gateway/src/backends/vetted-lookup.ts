import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { addressReach } from '@toolhaven/core/net/address-reach'
import { unavailable } from '@toolhaven/core/errors'

type Resolve = (
  host: string,
  options: { all: true; family?: number | 'IPv4' | 'IPv6' | undefined },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

/**
 * Looks names up as the system does, without the addresses where no server of anybody's choice lives: link-local ones and
 * with them the metadata of clouds, multicast, reserved. A remote server on this machine or its network is the user's own
 * choice and stays reachable.
 */
export function vettedLookup(resolve: Resolve = systemLookup): LookupFunction {
  return (host, { all, family }, callback) => {
    resolve(host, { all: true, family }, (error, found) => {
      if (error !== null) return callback(error, '')
      const addresses = found.filter(({ address }) => addressReach(address) !== 'never')
      const [first] = addresses
      if (first === undefined) return callback(refusedAddress(host), '')
      if (all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

/** An address in the URL itself is never looked up. */
export function checkHost({ hostname }: URL): void {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && addressReach(host) === 'never') throw refusedAddress(host)
}

function refusedAddress(host: string) {
  return unavailable(`${host} is an address where no MCP server can be; give the workload another url`)
}
