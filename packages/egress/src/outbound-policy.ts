import { isIP } from 'node:net'
import { type ListedHost, showPlace } from '@toolhaven/contract/listed-host'
import { isReservedAddress, reachFromHere } from '@toolhaven/core/net/address-reach'
import { entriesFor, isWildcard } from '@toolhaven/core/net/is-listed-host'
import type { OutboundRules } from '@toolhaven/core/ports/egress'

/** A destination: a name in lower case or an address, and a port. */
export interface Destination {
  host: string
  port: number
}

export type Verdict = { isAllowed: true } | { isAllowed: false; reason: string }

/** The ports for a list of hosts without ports. */
export const WEB_PORTS: readonly number[] = [80, 443]

/** The machine's own addresses and ports. */
export interface OwnSide {
  /** Addresses of its interfaces, each with the length of its network's prefix if that is known: `192.0.2.7/24`. */
  addresses: readonly string[]
  /** Whether the daemon, one of its workloads or the container engine listens on this port. */
  isOwnPort: (port: number) => boolean
}

/** Checks name and port. The addresses are checked when the name is resolved. */
export function judge(rules: OutboundRules, place: Destination): Verdict {
  if (rules.allowAll) return { isAllowed: true }
  if (!isNamed(rules, place.host)) return { isAllowed: false, reason: `${showPlace(place)} is not in allow_host` }
  if (!isListedPort(rules, place) && !hasWebPort(rules, place))
    return { isAllowed: false, reason: `${showPlace(place)} is not in allow_port` }
  return { isAllowed: true }
}

/** Whether the rules name the host, at any port. A list with only ports names every host. */
export function isNamed({ allowAll, allowHost, allowPort }: OutboundRules, host: string): boolean {
  if (allowAll) return true
  return allowHost.length === 0 ? allowPort.length > 0 : entriesFor(allowHost, host).length > 0
}

/** Whether exactly this port is listed for the host. Any protocol is then allowed. */
export function isListedPort({ allowHost, allowPort }: OutboundRules, { host, port }: Destination): boolean {
  const entries = entriesFor(allowHost, host)
  if (entries.some((entry) => entry.port === port)) return true
  return allowPort.includes(port) && (allowHost.length === 0 || entries.some((entry) => entry.port === undefined))
}

function hasWebPort({ allowHost, allowPort }: OutboundRules, { host, port }: Destination): boolean {
  const isOpen = entriesFor(allowHost, host).some((entry) => entry.port === undefined)
  return isOpen && allowPort.length === 0 && WEB_PORTS.includes(port)
}

/**
 * Public addresses are allowed. A private one must be listed explicitly: by its name or address with this port or, in older
 * profiles, by its address alone. A name may resolve to this machine only if the user's own configuration contains it.
 */
export function judgeAddress(rules: OutboundRules, place: Destination, address: string, own: OwnSide): Verdict {
  const reach = reachFromHere(address, own.addresses)
  if (reach === 'public') return { isAllowed: true }
  const isMeant = entriesFor(rules.allowHost, place.host).some((entry) => means(entry, rules, place, address))
  const isConfigured = rules.configured?.includes(showPlace(place)) === true
  const isName = isIP(place.host) === 0 && place.host !== 'localhost'
  const isNever = reach === 'never' && !(isConfigured && isReservedAddress(address))
  if (isNever || !isMeant || (reach === 'loopback' && isName && !isConfigured))
    // Does not say which address it is, because the workload would learn names of the surrounding network.
    return { isAllowed: false, reason: `${showPlace(place)} does not lead to a public address` }
  if (reach === 'loopback' && own.isOwnPort(place.port))
    return { isAllowed: false, reason: `${showPlace(place)} is a port of Toolhaven or of the container engine` }
  return { isAllowed: true }
}

function means(entry: ListedHost, { allowPort }: OutboundRules, { host, port }: Destination, address: string): boolean {
  if (entry.port !== undefined) return entry.port === port && !isWildcard(entry)
  return entry.host === host && host === address && (allowPort.length === 0 ? WEB_PORTS : allowPort).includes(port)
}

/** A program resolves `localhost` to one of two addresses. If the list has the name, both are allowed. */
export function withLocalhost({ allowHost }: OutboundRules, place: Destination): Destination {
  const isByName = entriesFor(allowHost, place.host).some(
    ({ host, port }) => host === 'localhost' && port === place.port,
  )
  return isByName ? { ...place, host: 'localhost' } : place
}
