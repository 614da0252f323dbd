import type { Socket } from 'node:net'
import type { GatewayEvents } from '@toolhaven/core/ports/gateway'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { WaitingLimits } from '../http/server/connections.ts'
import type { Logins } from '../login/logins.ts'
import type { OpenAuditLog } from '../policy/observers/audit/audit-log.ts'
import type { IdentityFetch } from '../oidc/identity-fetch.ts'
import type { TokenTimes } from '../oidc/token-check.ts'
import type { KeptBytes } from '../sessions/kept-bytes.ts'
import type { SessionStore } from '../sessions/session-store.ts'
import type { TelemetryTimes } from '../policy/observers/telemetry/collector.ts'

export interface GatewayOptions {
  logger: Logger
  events: GatewayEvents
  /** Default: sessions end with the daemon. */
  sessionStore?: SessionStore
  /** False refuses the caller with 403. Asked once per connection. Default: everyone who can reach the port. */
  allowPeer?: (socket: Socket) => boolean
  /** Names besides loopback that callers may use in Host and Origin. */
  allowedHosts?: () => readonly string[]
  /** See `Host`. They count as private. */
  ownAddresses?: () => readonly string[]
  /** For endpoints with authentication: reaches identity providers, on private addresses only if allowed. */
  identityFetch?: (allowPrivate: boolean, caCertificate?: string) => IdentityFetch
  tokenTimes?: Partial<TokenTimes>
  telemetryTimes?: Partial<TelemetryTimes>
  /** Without it, remote servers that ask for a login cannot be used. */
  logins?: Logins
  /** Where records of calls go. Without it, workloads with an audit configuration cannot be opened. */
  openAuditLog?: OpenAuditLog
  /** Limits for connections at each port. Default: the usual number, independent of other ports. */
  waiting?: WaitingLimits
  limits?: Partial<GatewayLimits>
  /** Counts the bytes that are kept for clients. Default: the gateway's own limit. */
  kept?: KeptBytes
}

export interface GatewayLimits {
  /** One message, in either direction. */
  maxMessageBytes: number
  /** Per endpoint. The session that has been idle longest makes room for a new one. */
  maxSessions: number
  /** A session without calls, streams or requests for this long is forgotten. */
  idleMs: number
  /** The same for what the gateway keeps for stateless clients: it only saves a handshake. */
  modernIdleMs: number
  /**
   * A session at an HTTP server that its client did not use for this long is ended there. It is created again if the
   * client comes back.
   */
  upstreamIdleMs: number
  /** Calls of one session that are not answered yet. */
  maxCallsPerSession: number
  /** Messages kept for a client that has no stream open, and for resuming one. */
  maxQueuedMessages: number
  /** Bytes that one client may leave unread, and all kept messages of a session together. */
  maxQueuedBytes: number
  /** Bytes that a server behind pipes may leave unread, for all its clients together. */
  maxUnreadBytes: number
  /** Bytes kept for all clients of a workload together, including what they leave unread. */
  maxKeptBytes: number
  /** The same for all workloads. */
  maxKeptBytesInAll: number
  /** Approximate memory that calls of a workload may take until they are answered. One call may take half of it. */
  maxCallBytes: number
  /** The same for all workloads. */
  maxCallBytesInAll: number
  /** How long messages wait for a client that has no connection. */
  keepUnreadMs: number
  /** How long a client may come back for the rest of an answer. */
  resumeMs: number
  /** How long a call waits for a server that is restarting. */
  backendWaitMs: number
  /** For the server's answer to the gateway's own `initialize`. */
  handshakeMs: number
  /** For all attempts to greet a remote server, which is already running. */
  remoteMs: number
  /** For its answers to what the gateway asks in the name of a session. */
  ownRequestMs: number
  /**
   * How long a call waits for the list of tools that says what its headers must repeat. Longer than for an absent
   * server.
   */
  toolsWaitMs: number
  /** For its answer to `server/discover`. After that it is asked the older way. */
  probeMs: number
  /** How long an HTTP+SSE server that is up may be silent before it is asked the older way as well. */
  sseProbeMs: number
  /** Interval of comment lines on quiet streams, so that no proxy cuts them. */
  keepAliveMs: number
  /** Length of one line of stderr. The rest is cut. */
  maxLogLineBytes: number
  /** Changes of sessions are stored at most this often. */
  saveDelayMs: number
}

const MIB = 1024 * 1024

export const DEFAULT_LIMITS: GatewayLimits = {
  maxMessageBytes: 16 * MIB,
  maxSessions: 1000,
  idleMs: 24 * 3600 * 1000,
  upstreamIdleMs: 30 * 60 * 1000,
  modernIdleMs: 10 * 60 * 1000,
  maxCallsPerSession: 1000,
  maxQueuedMessages: 256,
  maxQueuedBytes: 32 * MIB,
  maxUnreadBytes: 128 * MIB,
  maxKeptBytes: 128 * MIB,
  maxKeptBytesInAll: 256 * MIB,
  maxCallBytes: 256 * MIB,
  maxCallBytesInAll: 512 * MIB,
  keepUnreadMs: 5 * 60 * 1000,
  resumeMs: 60_000,
  backendWaitMs: 10_000,
  handshakeMs: 60_000,
  remoteMs: 30_000,
  ownRequestMs: 30_000,
  toolsWaitMs: 15_000,
  probeMs: 10_000,
  sseProbeMs: 500,
  keepAliveMs: 25_000,
  maxLogLineBytes: 8 * 1024,
  saveDelayMs: 100,
}
