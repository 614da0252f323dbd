import type { InstanceHandle, InstanceState, Progress } from '../../ports/runtime.ts'

/** What is known about a workload now. Kept only in memory, and determined again after a restart of the daemon. */
export interface Observed {
  /** `unknown` until the runtime has been asked. */
  instance: InstanceState['state'] | 'unknown'
  handle?: InstanceHandle
  /** The generation of the configuration that the instance was created from. */
  instanceGeneration?: number
  /** The gateway listens on the workload's port. */
  open: boolean
  /** The MCP handshake with this instance is complete. */
  connected: boolean
  connectedAt?: number
  /** It has answered at least once since this daemon started. */
  hasWorked?: boolean
  /** It is starting now, so an instance that was absent a moment ago may appear. */
  isComing?: boolean
  failedPings: number
  /** Number of failures since the server last ran stably. */
  attempts: number
  progress?: Progress
  /** Why the last attempt failed, and when to try again. */
  failure?: Failure
  /** The first isolated generation of a workload that was stored with the machine's or engine's network. */
  isolatedSince?: number
  /** The last connection that this instance was refused. */
  blocked?: string
  /** How the server's tools, prompts, … differ from the accepted ones. */
  toolsChanged?: string
  /** A forbidden file that this instance sees or made. It must be ended at once. */
  exposed?: Exposure
  /** Why the runtime does not answer. */
  runtimeDown?: string
}

export interface Exposure {
  reason: string
  /** It starts again only on request. */
  isFinal: boolean
}

export interface Failure {
  message: string
  /** In milliseconds since the epoch. Undefined if it is not tried again until something changes. */
  retryAt?: number
  /** The server certainly cannot run as requested, so the status is `error`, not `starting`. */
  isError: boolean
}

/** After this many failed pings in a row, a server counts as unhealthy. */
export const MAX_FAILED_PINGS = 3

/** A server that ends this often right after its start is in error. It is still tried again, but rarely. */
export const MAX_QUICK_EXITS = 5

/** The same for a server that has never worked. The second start tries the other handshake, and more attempts would not help. */
export const MAX_FIRST_EXITS = 2

export function nothingObserved(): Observed {
  return { instance: 'unknown', open: false, connected: false, failedPings: 0, attempts: 0 }
}

export function isUnhealthy(observed: Observed): boolean {
  return observed.connected && observed.failedPings >= MAX_FAILED_PINGS
}
