/**
 * The way out of isolated workloads. Each has sockets of its own, and the socket that a connection comes on says whose it is.
 */
export interface Egress {
  /** Opens the way out of a workload; opened again, the rules given last are in force. */
  open(workload: string, rules: OutboundRules): Promise<WayOut>

  /** Closes it and every connection through it; fine if there is none. */
  close(workload: string): Promise<void>

  [Symbol.asyncDispose](): Promise<void>
}

/** What one workload may reach, in the words of its permission profile. */
export interface OutboundRules {
  /** Names, wildcards and addresses, each with or without a port: see `parseListedHost` of the contract. */
  allowHost: readonly string[]
  allowPort: readonly number[]
  allowAll: boolean
  /**
   * `host:port` of places in the user's own configuration, such as package indexes. A name among them may lead to this machine, to
   * a private address or to a reserved one. Each is in `allowHost` as well.
   */
  configured?: readonly string[]
  /** The port that the server itself listens on. */
  targetPort?: number
}

/** The forwarder has listeners of its own there: names and the proxy. */
export const FORWARDER_PORTS: readonly number[] = [53, 3128]
/** On so many ports it takes direct connections of one workload. */
export const MOST_DIRECT_PORTS = 48

/** Sockets of the daemon that lead out. */
export interface WayOut {
  /** Holds the sockets and nothing else. The workload never sees it: a forwarder between them does. */
  folder: string
  /** File name of the socket of an HTTP proxy. */
  proxy: string
  /**
   * File name of the socket for programs that know nothing of proxies. The forwarder writes one line, `ADDRESS PORT\n`, with the
   * destination the program dialled (an IPv4 or IPv6 address as inet_ntop writes it), and the bytes of the program follow.
   */
  direct: string
  /** File name of the socket that answers DNS: one question and one answer per connection, each with a length of two bytes before it, as DNS over TCP. */
  names: string
  /** The ports on which the forwarder takes direct connections. */
  ports: readonly number[]
  /** Those of them that nobody listed. Where the server itself is known to open one, the forwarder leaves it alone. */
  unlisted?: readonly number[]
}

/** One use of the way out, or an attempt at it. */
export interface Sighting {
  host: string
  /** 0: it asked for the address of the name and got none, so nobody knows the port. */
  port: number
  outcome: SightingOutcome
  /** What went through; left out when nothing did. In a tunnel, only a port that is listed carries anything but TLS. */
  speaks?: 'http' | 'http-tunnel' | 'tls' | 'other'
  /** Of a plain request, or of the first one in a tunnel, without its query, which may hold keys. */
  path?: string
  /** Why it did not get there, or would not with a list in force. */
  reason?: string
}

/**
 * `unlisted`: refused, and a list that names it would let it through. `refused`: no list would. `unreachable`: it may go there,
 * but nobody answers. `unfit`: it went through only because everything does; with any list in force it would be cut.
 */
export type SightingOutcome = 'reached' | 'unlisted' | 'refused' | 'unreachable' | 'unfit'

export interface EgressEvents {
  /** A workload was refused a connection; told once for each place, and again after a while. */
  onBlocked: (workload: string, reason: string) => void

  /** Every single use and attempt. */
  onSeen: (workload: string, sighting: Sighting) => void
}
