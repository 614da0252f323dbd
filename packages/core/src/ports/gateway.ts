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
  /** Binds the endpoint's port. Throws `conflict` naming the port (and its holder where visible) when it is taken. Opening it again with an equal spec does nothing; with another one it is changed in place. */
  open(spec: EndpointSpec): Promise<void>

  /** Puts a backend behind the endpoint and performs the MCP handshake. Replaces the former backend. */
  connect(name: string, backend: Backend, signal: AbortSignal): Promise<Handshake>

  /**
   * Takes the backend away; callers in flight get `reason` as a JSON-RPC error, sessions stay. `isForGood`: what they have at an
   * HTTP server is ended there, because the server will not be found again.
   */
  disconnect(name: string, reason: string, isForGood?: boolean): void

  /** Asks the server whether it is alive. Any answer counts, even "method not found". Rejects otherwise. */
  ping(name: string, signal: AbortSignal): Promise<void>

  /** Closes the port and ends its sessions; forgets what was stored of them. */
  close(name: string): Promise<void>

  /** Forgets what was kept of the login at the remote server. */
  forgetLogin(name: string): Promise<void>

  /** Somebody accepted what was held back: clients are told to list these parts again. */
  toolsAccepted(name: string, parts: readonly LockPart[]): void

  /** Who is connected, and how the calls of the last minute went; undefined: its port is not open. */
  traffic(name: string): EndpointTraffic | undefined

  /** Everything that is wrong with policies and their entities; empty when they can be put in force. */
  policyFaults(spec: AuthorizationSpec): Promise<readonly string[]>

  /** Whether nobody else listens on the port. */
  isPortFree(host: string, port: number): Promise<boolean>

  /** Drains calls in flight (at most `drainMs`), keeps stored sessions, closes all ports. */
  shutdown(drainMs: number): Promise<void>
}

export interface EndpointTraffic {
  /** Of clients with sessions, and those that the gateway keeps for clients without. */
  sessions: number
  /** Requests of clients that ended. */
  calls: number
  /** Those of them that were refused or answered with an error, or whose tool reported one. */
  errors: number
  /** Half of the answers took longer; left out: there was none. */
  p50Ms?: number
}

export interface EndpointSpec {
  name: string
  host: string
  port: number
  transport: TransportType
  proxyMode: ProxyMode
  /** Only these tools are listed and may be called; empty or left out: all. */
  toolsFilter?: readonly string[]
  /** Who may call; left out: everybody the port lets in. */
  authentication?: AuthenticationSpec
  /** What a caller may do; left out: everything. */
  authorization?: AuthorizationSpec
  /** How clients see tools, by the server's names. */
  toolsOverride?: ToolsOverride
  /** What happens to tools that are not as they were accepted; left out: nobody looks. */
  toolsChanged?: 'warn' | 'block'
  /** Which calls are recorded, and where; left out: none. */
  audit?: AuditSpec
  limits?: LimitsSpec
  /** Each request is told in the log of the workload, with its outcome. */
  debug?: boolean
  /** Each client session has a server of its own; left out: all share one. */
  isolated?: IsolatedSpec
  /** What is told of calls, and to whom; left out: nothing. */
  telemetry?: TelemetrySpec
}

export interface IsolatedSpec {
  /** Further ones are refused. */
  maxSessions: number
  /** A session without calls and streams for so long ends, and its server with it. */
  idleMs: number
}

/** How much clients may ask of a workload; left out: what the gateway can bear. */
export interface LimitsSpec {
  /** Of all clients together. */
  requestsPerMinute?: number | undefined
  /** Of each client. */
  clientRequestsPerMinute?: number | undefined
  /** One message of a client. */
  maxMessageBytes?: number | undefined
  /** How long a client's session at an HTTP server may be unused before it is ended there. */
  sessionIdleMs?: number | undefined
}

/** How callers prove who they are: with a token of an OpenID provider. */
export interface AuthenticationSpec {
  /** Tokens must come from it; its keys are found through it unless `jwksUrl` says where they are. */
  issuer?: string | undefined
  /** Whom tokens must be for; left out: the resource, as MCP asks. */
  audience?: string | undefined
  jwksUrl?: string | undefined
  /** Where to ask about tokens that are not signed. */
  introspectionUrl?: string | undefined
  clientId?: string | undefined
  /** The value itself. */
  clientSecret?: string | undefined
  /** How clients call the server from outside; left out: the address of its port. */
  resourceUrl?: string | undefined
  /** The provider may be on this machine or its network. */
  allowPrivateIp?: boolean | undefined
  /** PEM text that the provider's certificate may be signed with, besides the usual ones. */
  caCertificate?: string | undefined
  /** Shown to the provider when its keys are fetched. */
  authToken?: string | undefined
}

/** OpenTelemetry of one workload's calls. */
export interface TelemetrySpec {
  /** Address of an OTLP/HTTP collector, without the path of a signal; left out: nothing is sent. */
  endpoint?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
  serviceName: string
  serviceVersion?: string | undefined
  /** Share of the traces that begin here and are kept, 0 to 1. */
  samplingRate: number
  /** Said of the workload with everything that is sent. */
  attributes: Readonly<Record<string, string>>
  /** `/metrics` on the workload's port, for Prometheus. */
  hasMetricsPath: boolean
}

/** Cedar policies. What none of them permits is denied. */
export interface AuthorizationSpec {
  policies: readonly string[]
  /** What policies may ask about callers, tools and groups of them, as JSON text. */
  entitiesJson?: string | undefined
}

export type ToolsOverride = Readonly<Record<string, { name?: string | undefined; description?: string | undefined }>>

export interface SeenDefinitions {
  /** Names this very list. */
  revision: string
  definitions: readonly LockedDefinition[]
}

export interface AuditSpec {
  /** Which part of an installation the records are from. */
  component: string
  /** Only these are recorded; empty: all. */
  eventTypes: readonly AuditEventType[]
  /** These are never recorded, even if they are among `eventTypes`. */
  excludeEventTypes: readonly AuditEventType[]
  hasRequestData: boolean
  hasResponseData: boolean
  /** Of a request or an answer, as JSON; what is larger is not recorded. */
  maxDataBytes: number
  /** Left out: the daemon's standard output. */
  logFile?: string | undefined
}

export type Backend = ServerBackend | IsolatedBackend | AutoBackend

export type ServerBackend =
  | {
      kind: 'stdio'
      channel: StdioChannel
      /** Identity of the process behind the channel: equal after a daemon restart when the same container is attached to again, so the stored handshake holds and is not repeated. */
      processId: string
      /** Starts the process; called after the channel's callbacks are set. Left out when it runs already. */
      start?: () => Promise<void>
    }
  | {
      kind: 'http'
      transport: 'sse' | 'streamable-http'
      url: string
      /** Where connections go instead of the host and port of `url`. */
      socketPath?: string
      headers?: Readonly<Record<string, string>>
      /** How to log in when the server asks for it; left out: not at all. */
      login?: LoginSpec
      /** Refuses connections to addresses of this machine and of private networks. */
      publicOnly?: boolean
      /** PEM text that the server's certificate may be signed with, besides the usual ones. */
      caCertificate?: string
      /** It does not run here, so there is no reason to wait for it to start. */
      isRemote?: boolean
      processId: string
    }

export type StdioServer = Extract<ServerBackend, { kind: 'stdio' }>

/** A server for each client session. */
export interface IsolatedBackend extends SeveralServers {
  kind: 'isolated'
}

/** One server for all clients until it asks them something. From then on each client that can answer has its own. */
export interface AutoBackend extends SeveralServers {
  kind: 'auto'
  /** The server is known to need a process for each client. */
  needsOwn: boolean
  /** `maxSessions`: clients with a server of their own. */
  own: IsolatedSpec
}

export interface SeveralServers {
  /** Shows that the server works, and is the first client's. */
  first: StdioServer
  /** The first session has it now: it ends with that session, not with the workload's connection. */
  claimFirst: () => EndServer
  /** Another one, for one session; aborted, it leaves nothing behind. */
  startAnother: (signal: AbortSignal) => Promise<SessionServer>
}

export interface SessionServer {
  /** Tells its output from the others'. */
  tag: string
  server: StdioServer
  end: EndServer
}

/** Ends a session's server; resolves when nothing of it is left. Never rejects, and may be called again. */
export type EndServer = () => Promise<void>

/** What is known of the login at a remote server; the rest the server itself says. */
export interface LoginSpec {
  issuer?: string | undefined
  authorizeUrl?: string | undefined
  tokenUrl?: string | undefined
  /** An https address is one of a client metadata document. */
  clientId?: string | undefined
  /** The value itself. */
  clientSecret?: string | undefined
  scopes?: readonly string[] | undefined
  callbackPort?: number | undefined
  /** Added to the address a person opens. */
  params?: Readonly<Record<string, string>> | undefined
  /** What the server names may be on this machine or its network. */
  allowPrivateIp?: boolean | undefined
  /** PEM text that certificates may be signed with, besides the usual ones. */
  caCertificate?: string | undefined
}

export interface Handshake {
  protocolVersion: string
  serverName: string
  serverVersion: string
}

/** What the gateway tells the daemon; given at construction. */
export interface GatewayEvents {
  /** The backend's connection ended or broke (not called after `disconnect`). */
  onBackendLost: (name: string, reason: string) => void
  /** A line the server wrote that is not protocol: stderr, or garbage on stdout. */
  onOutput: (name: string, stream: 'stdout' | 'stderr', text: string) => void
  /** Replaces the secrets the daemon knows of; left out: it knows of none. */
  mask?: (text: string) => string
  /** All tools (or prompts, …) that the server has at this moment, as it defines them. */
  onDefinitions?: (name: string, part: LockPart, seen: SeenDefinitions) => void
  /** The hash of each definition that was accepted; undefined: this part was not seen yet. */
  acceptedHashes?: (name: string, part: LockPart) => ReadonlyMap<string, string> | undefined
  /** The server asks its clients, or keeps tasks for them: it needs a process for each. Only of `auto` backends. */
  onOwnNeeded?: (name: string) => void
  /** The remote server no longer takes our token, or never had one of us. */
  onLoginNeeded: (name: string, needed: NeedsLogin) => void
  /** A person has logged in: connect again. */
  onLoggedIn: (name: string) => void
}
