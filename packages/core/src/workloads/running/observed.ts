import type { InstanceHandle, InstanceState, Progress } from '../../ports/runtime.ts'

/** What is known of a workload right now; kept in memory only and found again after a restart of the daemon. */
export interface Observed {
  /** `unknown` until the runtime was asked. */
  instance: InstanceState['state'] | 'unknown'
  handle?: InstanceHandle
  /** Which generation of the configuration the instance was made from. */
  instanceGeneration?: number
  /** The gateway listens on the workload's port. */
  open: boolean
  /** The MCP handshake with this instance was done. */
  connected: boolean
  connectedAt?: number
  /** It has answered at least once since this daemon knows it. */
  hasWorked?: boolean
  /** It is being brought up right now: what was not there a moment ago may come into being. */
  isComing?: boolean
  failedPings: number
  /** Starts and runs that failed since the server last ran for a good while. */
  attempts: number
  progress?: Progress
  /** Why the last attempt failed, and when to try again. */
  failure?: Failure
  /** The generation that was the first to be isolated, of a workload that was stored with the machine's or engine's network. */
  isolatedSince?: number
  /** What this instance was refused last on its way out. */
  blocked?: string
  /** How the server's tools, prompts, … differ from those that were accepted. */
  toolsChanged?: string
  /** What this instance sees or made that it must not: it is ended at once. */
  exposed?: Exposure
  /** Why the runtime does not answer. */
  runtimeDown?: string
}

export interface Exposure {
  reason: string
  /** It starts again only when somebody asks for it. */
  isFinal: boolean
}

export interface Failure {
  message: string
  /** Milliseconds since the epoch; left out: not before something is changed. */
  retryAt?: number
  /** It is certain that the server does not run as asked: say `error`, not `starting`. */
  isError: boolean
}

/** After so many failed pings in a row a server counts as unhealthy. */
export const MAX_FAILED_PINGS = 3

/** A server that ends this often right after its start is in error; it is still tried again, seldom. */
export const MAX_QUICK_EXITS = 5

/** The same for a server that has not worked yet: the second start greets it the other way, and more would not help. */
export const MAX_FIRST_EXITS = 2

export function nothingObserved(): Observed {
  return { instance: 'unknown', open: false, connected: false, failedPings: 0, attempts: 0 }
}

export function isUnhealthy(observed: Observed): boolean {
  return observed.connected && observed.failedPings >= MAX_FAILED_PINGS
}
