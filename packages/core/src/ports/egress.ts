/**
 * The network access of isolated workloads. Each workload has its own sockets, so the socket of a connection tells which workload
 * opened it.
 */
export interface Egress {
  /** Opens the way out of a workload. Opening it again replaces the rules. */
  open(workload: string, rules: OutboundRules): Promise<WayOut>

  /** Closes it and every connection through it. Does nothing if none is open. */
  close(workload: string): Promise<void>

  [Symbol.asyncDispose](): Promise<void>
}

/** What one workload may reach, in the terms of its permission profile. */
export interface OutboundRules {
  /** Names, wildcards and addresses, each with or without a port: see `parseListedHost` of the contract. */
  allowHost: readonly string[]
  allowPort: readonly number[]
  allowAll: boolean
  /**
   * `host:port` of hosts from the user's own configuration, such as package indexes. Their names may resolve to this machine, to a
   * private address or to a reserved one. Each is in `allowHost` as well.
   */
  configured?: readonly string[]
  /** The port that the server itself listens on. */
  targetPort?: number
}

/** The forwarder's own listeners, for DNS and the proxy, use these ports. */
export const FORWARDER_PORTS: readonly number[] = [53, 3128]
/** The maximum number of ports on which the forwarder accepts direct connections of one workload. */
export const MOST_DIRECT_PORTS = 48

/** Sockets of the daemon through which a workload gets out. */
export interface WayOut {
  /** A folder that holds only the sockets. The workload never sees it; only the forwarder in between does. */
  folder: string
  /** File name of the socket of an HTTP proxy. */
  proxy: string
  /**
   * File name of the socket for programs that do not use a proxy. The forwarder writes one line, `ADDRESS PORT\n`, with the
   * destination that the program dialled (an IPv4 or IPv6 address as inet_ntop writes it), then the bytes of the program.
   */
  direct: string
  /** File name of the socket that answers DNS: one question and one answer per connection, each with a length of two bytes before it, as DNS over TCP. */
  names: string
  /** The ports on which the forwarder accepts direct connections. */
  ports: readonly number[]
  /** Those of them that no list names. If the server itself is known to open one, the forwarder does not. */
  unlisted?: readonly number[]
}

/** One use of the way out, or an attempt at it. */
export interface Sighting {
  host: string
  /** 0 if the port is unknown because the DNS question for the name was refused. */
  port: number
  outcome: SightingOutcome
  /** The protocol that was seen; undefined if nothing was sent. In a tunnel, only a listed port carries anything but TLS. */
  speaks?: 'http' | 'http-tunnel' | 'tls' | 'other'
  /** The path of a plain request, or of the first one in a tunnel, without its query, which may hold keys. */
  path?: string
  /** Why it was not let through, or would not be with a list in force. */
  reason?: string
}

/**
 * `unlisted`: refused, but a list that names it would let it through. `refused`: no list would let it through. `unreachable`:
 * allowed, but no host answers. `unfit`: it got through only because everything is allowed; any list would block it.
 */
export type SightingOutcome = 'reached' | 'unlisted' | 'refused' | 'unreachable' | 'unfit'

export interface EgressEvents {
  /** Called when a workload is refused a connection: once for each host and port, and again after a while. */
  onBlocked: (workload: string, reason: string) => void

  /** Called for every single use and attempt. */
  onSeen: (workload: string, sighting: Sighting) => void
}
