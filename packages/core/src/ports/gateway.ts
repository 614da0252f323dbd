import type { AuditEventType } from '@toolhaven/contract/audit'
import type { LockPart } from '@toolhaven/contract/tools'
import type { ProxyMode, TransportType } from '@toolhaven/contract/run-config'
import type { NeedsLogin } from '../workloads/running/needs-login.ts'
import type { StdioChannel } from './runtime.ts'
import type { LockedDefinition } from './stores.ts'

/**
 * The data plane: MCP clients in front, one workload behind each endpoint.
 * An endpoint outlives its backend: while the container restarts, client sessions stay and in-flight calls get one
 * clear JSON-RPC error.
 */
export interface Gateway {
  /**
   * Binds the endpoint's port. Throws `conflict` naming the port (and its holder where visible) if it is taken. Opening it again
   * with an equal spec does nothing; another spec changes it in place.
   */
  open(spec: EndpointSpec): Promise<void>

  /** Puts a backend behind the endpoint and performs the MCP handshake. Replaces the former backend. */
  connect(name: string, backend: Backend, signal: AbortSignal): Promise<Handshake>

  /**
   * Removes the backend. Calls in flight get `reason` as a JSON-RPC error; sessions stay. With `isForGood`, also ends their
   * sessions at an HTTP server, because it cannot be found again later.
   */
  disconnect(name: string, reason: string, isForGood?: boolean): void

  /** Pings the server. Any answer counts, even "method not found". Rejects if there is none. */
  ping(name: string, signal: AbortSignal): Promise<void>

  /** Closes the port, ends its sessions and deletes what was stored about them. */
  close(name: string): Promise<void>

  /** Deletes what was stored about the login at the remote server. */
  forgetLogin(name: string): Promise<void>

  /** Held-back changes were accepted: tells clients to list these parts again. */
  toolsAccepted(name: string, parts: readonly LockPart[]): void

  /** Connected clients, and figures about the calls of the last minute. Undefined if the port is not open. */
  traffic(name: string): EndpointTraffic | undefined

  /** All faults of policies and their entities. Empty if they can be put in force. */
  policyFaults(spec: AuthorizationSpec): Promise<readonly string[]>

  /** Whether the port is free. */
  isPortFree(host: string, port: number): Promise<boolean>

  /** Drains calls in flight (at most `drainMs`), keeps stored sessions, closes all ports. */
  shutdown(drainMs: number): Promise<void>
}

export interface EndpointTraffic {
  /** Sessions of clients, and those that the gateway keeps for stateless clients. */
  sessions: number
  /** Client requests that finished. */
  calls: number
  /** Those of them that were refused, got an error, or called a tool that reported one. */
  errors: number
  /** Median time to answer. Undefined if there were no answers. */
  p50Ms?: number
}

export interface EndpointSpec {
  name: string
  host: string
  port: number
  transport: TransportType
  proxyMode: ProxyMode
  /** The only tools that are listed and may be called (empty or undefined: all). */
  toolsFilter?: readonly string[]
  /** Who may call (default: every client that reaches the port). */
  authentication?: AuthenticationSpec
  /** What a caller may do (default: everything). */
  authorization?: AuthorizationSpec
  /** How clients see tools, by the names that the server uses. */
  toolsOverride?: ToolsOverride
  /** What happens to tools that differ from the accepted ones (default: no check). */
  toolsChanged?: 'warn' | 'block'
  /** Which calls are recorded, and where (default: none). */
  audit?: AuditSpec
  limits?: LimitsSpec
  /** Writes each request and its outcome to the log of the workload. */
  debug?: boolean
  /** Each client session has its own server (default: all share one). */
  isolated?: IsolatedSpec
  /** Traces and metrics of calls, and their receivers (default: none). */
  telemetry?: TelemetrySpec
}

export interface IsolatedSpec {
  /** Maximum number of sessions; the gateway refuses further ones. */
  maxSessions: number
  /** How long a session can have no calls and streams before it ends, and its server with it. */
  idleMs: number
}

/** Limits for the requests of clients (default: what the gateway can handle). */
export interface LimitsSpec {
  /** Requests per minute of all clients together. */
  requestsPerMinute?: number | undefined
  /** Requests per minute of each client. */
  clientRequestsPerMinute?: number | undefined
  /** Maximum size of one message of a client. */
  maxMessageBytes?: number | undefined
  /** How long a client's session at an HTTP server may be unused before the gateway ends it there. */
  sessionIdleMs?: number | undefined
}

/** How callers prove who they are: with a token of an OpenID provider. */
export interface AuthenticationSpec {
  /** The issuer that tokens must have. Its keys are discovered from it unless `jwksUrl` gives their address. */
  issuer?: string | undefined
  /** The audience that tokens must name (default: the resource, as MCP requires). */
  audience?: string | undefined
  jwksUrl?: string | undefined
  /** The introspection endpoint, for tokens that are not signed. */
  introspectionUrl?: string | undefined
  clientId?: string | undefined
  /** The secret's value, not its name. */
  clientSecret?: string | undefined
  /** URL at which clients reach the workload from outside (default: the address of its port). */
  resourceUrl?: string | undefined
  /** The provider may be on this machine or its network. */
  allowPrivateIp?: boolean | undefined
  /** PEM text of additional CA certificates to trust for the provider. */
  caCertificate?: string | undefined
  /** Bearer token for the request that fetches the provider's keys. */
  authToken?: string | undefined
}

/** OpenTelemetry settings for the calls of one workload. */
export interface TelemetrySpec {
  /** Address of an OTLP/HTTP collector, without the path of a signal. Undefined if nothing is sent. */
  endpoint?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
  serviceName: string
  serviceVersion?: string | undefined
  /** Share of the traces that begin here to keep, 0 to 1. */
  samplingRate: number
  /** Attributes of the workload that are sent with everything. */
  attributes: Readonly<Record<string, string>>
  /** Serves `/metrics` on the workload's port, for Prometheus. */
  hasMetricsPath: boolean
}

/** Cedar policies. A call that no policy permits is denied. */
export interface AuthorizationSpec {
  policies: readonly string[]
  /** Entities that policies refer to (callers, tools and groups of them), as JSON text. */
  entitiesJson?: string | undefined
}

export type ToolsOverride = Readonly<Record<string, { name?: string | undefined; description?: string | undefined }>>

export interface SeenDefinitions {
  /** Identifies exactly this list. */
  revision: string
  /** What the client that got it can be asked for, as text. Undefined: the gateway asked for itself. */
  kind?: string
  definitions: readonly LockedDefinition[]
}

export interface AuditSpec {
  /** The component of an installation that the records come from. */
  component: string
  /** The only types of events to record; empty: all. */
  eventTypes: readonly AuditEventType[]
  /** Types that are never recorded, even if `eventTypes` has them. */
  excludeEventTypes: readonly AuditEventType[]
  hasRequestData: boolean
  hasResponseData: boolean
  /** Maximum size of a request or answer as JSON. Larger ones are not recorded. */
  maxDataBytes: number
  /** The file for records (default: the daemon's standard output). */
  logFile?: string | undefined
}

export type Backend = ServerBackend | IsolatedBackend | AutoBackend

export type ServerBackend =
  | {
      kind: 'stdio'
      channel: StdioChannel
      /**
       * Identity of the process behind the channel. It stays equal when a restarted daemon attaches to the same container again, so
       * the stored handshake is still valid and is not repeated.
       */
      processId: string
      /** Starts the process. Called after the channel's callbacks are set. Undefined if the process already runs. */
      start?: () => Promise<void>
    }
  | {
      kind: 'http'
      transport: 'sse' | 'streamable-http'
      url: string
      /** Where connections go instead of the host and port of `url`. */
      socketPath?: string
      headers?: Readonly<Record<string, string>>
      /** How to log in when the server asks for it. Undefined if Toolhaven must not log in. */
      login?: LoginSpec
      /** Refuses connections to addresses of this machine and of private networks. */
      publicOnly?: boolean
      /** PEM text of additional CA certificates to trust for the server. */
      caCertificate?: string
      /** A remote server: it does not run here, so the gateway need not wait for it to start. */
      isRemote?: boolean
      processId: string
    }

export type StdioServer = Extract<ServerBackend, { kind: 'stdio' }>

/** A server for each client session. */
export interface IsolatedBackend extends SeveralServers {
  kind: 'isolated'
}

/** One server for all clients until it sends them a request. From then on each client that can answer has its own. */
export interface AutoBackend extends SeveralServers {
  kind: 'auto'
  /** The server is known to need a process for each client. */
  needsOwn: boolean
  /** `maxSessions` limits how many clients have their own server. */
  own: IsolatedSpec
}

export interface SeveralServers {
  /** Shows that the server works; the first client gets it. */
  first: StdioServer
  /** Called when the first session takes it over. It then ends with that session, not with the workload's connection. */
  claimFirst: () => EndServer
  /** Starts another server for one session. If aborted, it leaves nothing behind. */
  startAnother: (signal: AbortSignal) => Promise<SessionServer>
}

export interface SessionServer {
  /** Distinguishes its output from that of other servers. */
  tag: string
  server: StdioServer
  end: EndServer
}

/** Ends a session's server and resolves when it is gone. Never rejects, and may be called again. */
export type EndServer = () => Promise<void>

/** Known settings of the login at a remote server. The server itself provides the rest. */
export interface LoginSpec {
  issuer?: string | undefined
  authorizeUrl?: string | undefined
  tokenUrl?: string | undefined
  /** An https address refers to a client metadata document. */
  clientId?: string | undefined
  /** The secret's value, not its name. */
  clientSecret?: string | undefined
  scopes?: readonly string[] | undefined
  callbackPort?: number | undefined
  /** Parameters to add to the address that the user opens. */
  params?: Readonly<Record<string, string>> | undefined
  /** Allows the server to name addresses on this machine or its network. */
  allowPrivateIp?: boolean | undefined
  /** PEM text of additional CA certificates to trust. */
  caCertificate?: string | undefined
}

export interface Handshake {
  protocolVersion: string
  serverName: string
  serverVersion: string
}

/** Callbacks of the daemon, given to the gateway at construction. */
export interface GatewayEvents {
  /** The backend's connection ended or broke (not called after `disconnect`). */
  onBackendLost: (name: string, reason: string) => void
  /** A line of the server that is not protocol: stderr, or garbage on stdout. */
  onOutput: (name: string, stream: 'stdout' | 'stderr', text: string) => void
  /** Masks the secrets that the daemon knows. Undefined if it knows none. */
  mask?: (text: string) => string
  /** All tools (or prompts, …) that the server has now, as it defines them. */
  onDefinitions?: (name: string, part: LockPart, seen: SeenDefinitions) => void
  /** The hash of each accepted definition. Undefined if this part has not been seen yet. */
  acceptedHashes?: (name: string, part: LockPart) => ReadonlyMap<string, string> | undefined
  /**
   * The server sends requests to its clients or keeps tasks for them, so it needs a process for each client. Only for `auto`
   * backends.
   */
  onOwnNeeded?: (name: string) => void
  /** The remote server no longer accepts our token, or never gave us one. */
  onLoginNeeded: (name: string, needed: NeedsLogin) => void
  /** A person has logged in, so the daemon can connect again. */
  onLoggedIn: (name: string) => void
}
