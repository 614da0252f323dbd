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
  /** Left out: sessions end with the daemon. */
  sessionStore?: SessionStore
  /** False refuses the caller with 403; asked once per connection. Left out: everybody the port lets in. */
  allowPeer?: (socket: Socket) => boolean
  /** Names besides loopback that callers may use in Host and Origin. */
  allowedHosts?: () => readonly string[]
  /** See `Host`; they count as private. */
  ownAddresses?: () => readonly string[]
  /** For endpoints with authentication: reaches identity providers, on private addresses too when asked for. */
  identityFetch?: (allowPrivate: boolean, caCertificate?: string) => IdentityFetch
  tokenTimes?: Partial<TokenTimes>
  telemetryTimes?: Partial<TelemetryTimes>
  /** Left out: remote servers that ask for a login cannot be used. */
  logins?: Logins
  /** Where records of calls go; left out: workloads with an audit configuration cannot be opened. */
  openAuditLog?: OpenAuditLog
  /** Of connections at each port; left out: as many as usual, whatever other ports have. */
  waiting?: WaitingLimits
  limits?: Partial<GatewayLimits>
  /** Where bytes that are kept for clients are counted; left out: by the gateway's own limit. */
  kept?: KeptBytes
}

export interface GatewayLimits {
  /** One message, in either direction. */
  maxMessageBytes: number
  /** Per endpoint; the longest idle one makes room for a new one. */
  maxSessions: number
  /** A session without calls, streams or requests for so long is forgotten. */
  idleMs: number
  /** The same for what the gateway keeps for clients without sessions: they only save a handshake. */
  modernIdleMs: number
  /** A session at an HTTP server that its client did not use for so long is ended there, and made again for a client that comes back. */
  upstreamIdleMs: number
  /** Calls of one session that are not answered yet. */
  maxCallsPerSession: number
  /** Messages kept for a client that has no stream open, and for resuming one. */
  maxQueuedMessages: number
  /** Bytes a client may leave unread, and all of a session's kept messages together. */
  maxQueuedBytes: number
  /** Bytes a server behind pipes may leave unread, of all its clients together. */
  maxUnreadBytes: number
  /** Bytes kept for all clients of a workload together, with what they leave unread. */
  maxKeptBytes: number
  /** The same for all workloads. */
  maxKeptBytesInAll: number
  /** Memory that calls of a workload may take until they are answered, roughly; one call may take half of it. */
  maxCallBytes: number
  /** The same for all workloads. */
  maxCallBytesInAll: number
  /** How long messages wait for a client that has no connection. */
  keepUnreadMs: number
  /** How long a client may come back for the end of an answer. */
  resumeMs: number
  /** How long a call waits for a server that is restarting. */
  backendWaitMs: number
  /** For the server's answer to the gateway's own `initialize`. */
  handshakeMs: number
  /** For all tries to greet a remote server, which runs already. */
  remoteMs: number
  /** For its answers to what the gateway asks in the name of a session. */
  ownRequestMs: number
  /** How long a call waits for the list of tools that says what its headers must repeat; longer than for an absent server. */
  toolsWaitMs: number
  /** For its answer to `server/discover`; then it is asked the older way. */
  probeMs: number
  /** How long an HTTP+SSE server that is up may be silent before it is asked the older way as well. */
  sseProbeMs: number
  /** Comment lines on quiet streams, so that nobody in between cuts them. */
  keepAliveMs: number
  /** One line of stderr; the rest is cut. */
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
