import { addressReach } from '@toolhaven/core/net/address-reach'
import { isListedHost } from '@toolhaven/core/net/is-listed-host'
import type { OutboundRules } from '@toolhaven/core/ports/egress'

/** Where a workload wants to go: a name in lower case or an address, and a port. */
export interface Destination {
  host: string
  port: number
}

export type Verdict = { isAllowed: true } | { isAllowed: false; reason: string }

/** Ports of the web, for a list of hosts that names none. */
const WEB_PORTS: readonly number[] = [80, 443]

/** Judges by name and port; where the name leads is judged when it is resolved. */
export function judge(rules: OutboundRules, { host, port }: Destination): Verdict {
  if (rules.allowAll) return { isAllowed: true }
  const ports = rules.allowPort.length > 0 ? rules.allowPort : WEB_PORTS
  const isHostAllowed = rules.allowHost.length === 0 ? rules.allowPort.length > 0 : isListedHost(rules.allowHost, host)
  if (!isHostAllowed) return { isAllowed: false, reason: `${shown(host)}:${port} is not in allow_host` }
  if (!ports.includes(port)) return { isAllowed: false, reason: `${shown(host)}:${port} is not in allow_port` }
  return { isAllowed: true }
}

/**
 * An address that was written out in the list may be a private one: somebody meant exactly it. A name may not lead to one,
 * whoever owns the name.
 */
export function judgeAddress(rules: OutboundRules, { host, port }: Destination, address: string): Verdict {
  if (addressReach(address) === 'public') return { isAllowed: true }
  if (host === address && rules.allowHost.includes(host)) return { isAllowed: true }
  // Which address it is stays unsaid: the workload would learn names of the network around it.
  return { isAllowed: false, reason: `${shown(host)}:${port} does not lead to a public address` }
}

function shown(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
