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
  allowHost: readonly string[]
  allowPort: readonly number[]
  allowAll: boolean
}

/** Sockets of the daemon that lead out. */
export interface WayOut {
  /** Holds the sockets and nothing else. The workload never sees it: a forwarder between them does. */
  folder: string
  /** File name of the socket of an HTTP proxy. */
  proxy: string
  /** For programs that know nothing of proxies: sockets that lead to one place each. */
  places: readonly { host: string; port: number; socket: string }[]
}

export interface EgressEvents {
  /** A workload was refused a connection; told once for each place, and again after a while. */
  onBlocked: (workload: string, reason: string) => void
}
