import type { ExitRecord } from '@toolhaven/contract/exits'
import type { ImageServer, RemoteServer } from '@toolhaven/contract/registry-document'
import type { RunConfig } from '@toolhaven/contract/run-config'
import type { LockPart } from '@toolhaven/contract/tools'
import type { StartedImage } from '@toolhaven/contract/workloads'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import type { Sighting, SightingOutcome } from './egress.ts'
import type { InstanceHandle } from './runtime.ts'
import type { SecretsProviderType } from './secrets.ts'

export type Wanted = 'running' | 'stopped' | 'absent'

/** The stored record of a workload. It has no status: status is derived from this and from what is observed. */
export interface StoredWorkload {
  /** The request, without secret values. An edit changes it, and everything else is derived from it again. */
  asked: CreateRequest
  /** The registry entry that it came from, as it was then, for edits that do not change the image. */
  entry?: ImageServer | RemoteServer
  /** The configuration in force, derived from the request. */
  config: RunConfig
  wanted: Wanted
  port: number
  /** RFC 3339, UTC, seconds. */
  createdAt: string
  /** Rises with each edit and each requested restart. An instance of an older generation is replaced. */
  generation: number
  /** The reference as the user wrote it. */
  package: string
  /** Exact package version or image digest, found at the first start and kept since then. */
  resolved?: { reference: string; digest?: string; verification?: StoredVerification }
  /** Last known instance. */
  handle?: InstanceHandle
  /** Where the profile came from, for status_context. */
  profileOrigin: 'request' | 'registry' | 'default'
  /**
   * Set if the user neither chose the remote address nor confirmed private ones. Connections may then only go to public addresses.
   */
  publicOnly?: boolean
  /**
   * Its server sent requests to its clients, or keeps tasks for them. With session_mode auto, each client then gets its own server.
   */
  needsOwnServers?: boolean
  /** The previous state, kept until the upgrade that made this generation is known to run. */
  upgrade?: { generation: number; before: BeforeUpgrade }
}

/** The parts that an upgrade may change. */
export type BeforeUpgrade = Pick<
  StoredWorkload,
  'asked' | 'entry' | 'config' | 'wanted' | 'package' | 'resolved' | 'profileOrigin' | 'needsOwnServers'
>

/** The result of the check of an image's signature. `digest` names the image. */
export interface StoredVerification {
  outcome: NonNullable<StartedImage['verification']>
  detail: string
  digest?: string
}

/** The connections that a workload opened or tried to open. */
export interface StoredSightings {
  name: string
  /** In RFC 3339, UTC, with seconds, like the other times. */
  since: string
  places: SeenPlace[]
  /** Number of attempts to reach hosts beyond the ones that are kept. */
  dropped: number
}

export interface SeenPlace {
  host: string
  port: number
  outcome: SightingOutcome
  reason?: string
  speaks: NonNullable<Sighting['speaks']>[]
  paths: string[]
  count: number
  firstAt: string
  lastAt: string
}

/** The unrequested exits of a workload's server, oldest first. */
export interface StoredExits {
  name: string
  exits: ExitRecord[]
}

/** A browser that is logged in to the console. */
export interface StoredConsoleLogin {
  /** Also its ID. */
  name: string
  /** Hashes of what the browser holds. */
  hash: string
  /** Hash of the API token that was in force. */
  keyHash: string
  createdAt: string
  expiresAt: string
}

/** A tool, a prompt, a resource template or the instructions, as the server defines them. */
export interface LockedDefinition {
  /** Unique within its part; for a resource template, its `uriTemplate`. */
  name: string
  /** Hash of the whole definition, independent of the order of its keys. */
  hash: string
  /** As JSON text. */
  definition: string
}

/** The accepted tools, prompts, resource templates and instructions of a workload's server. */
export interface StoredToolLock {
  name: string
  /** RFC 3339, UTC, seconds. */
  since: string
  /** A missing part has not been seen yet. */
  parts: { [part in LockPart]?: LockedPart }
}

export interface LockedPart {
  accepted: LockedDefinition[]
  /** The kind of client that got the first list. Undefined: the gateway itself. */
  kind?: string
  /** What is accepted in addition for clients of one kind: servers offer more to clients that they can ask. */
  only?: Record<string, LockedDefinition[]>
  /** What the server has instead. Undefined if it has exactly these. */
  seen?: SeenList
  /** The same for clients of other kinds, seen before that. */
  others?: SeenList[]
}

/** `kind`: of the client that got the list. Undefined: the gateway itself. */
export interface SeenList {
  at: string
  revision: string
  definitions: LockedDefinition[]
  kind?: string
}

export interface StoredGroup {
  name: string
  registeredClients: string[]
}

/** `load` moves corrupt entries aside, logs them and returns the others. Writes are atomic and durable. */
export interface RecordStore<T> {
  load(): Promise<T[]>
  save(record: T): Promise<void>
  remove(name: string): Promise<void>
  /** Records that exist but could not be read, by name in lower case, with the reason. */
  unreadable?(): ReadonlyMap<string, string>
}

export interface DaemonConfig {
  registry: { url?: string; localPath?: string; allowPrivateIp?: boolean }
  secrets: { providerType?: SecretsProviderType }
  caCertificatePath?: string
  /** Port of the API if neither a flag nor the environment sets one. */
  apiPort?: number
  otel: { endpoint?: string; samplingRate?: number; envVars?: string[] }
  /** Addresses other than loopback on which workloads may listen, and Host names that callers may use. */
  allowedHosts: string[]
  /** Image that package builds start from, per scheme. */
  baseImages: { npx?: string; uvx?: string; go?: string }
  /** File with the trust root for image signatures, instead of the public one of sigstore. */
  trustedRootPath?: string
}

export interface ConfigStore {
  get(): DaemonConfig
  update(change: (config: DaemonConfig) => DaemonConfig): Promise<void>
}

export interface JournalEntry {
  /** Origin of the request: `api`, `cli` or `daemon`. */
  actor: string
  action: string
  target: string
  detail?: Record<string, unknown>
}

export interface Journal {
  append(entry: JournalEntry): Promise<void>
}

/**
 * Output of workloads, rotated and kept across restarts of the container. Never throws, because a full disk must not stop a server.
 */
export interface LogStore {
  append(name: string, stream: LogStream, text: string): void
  /** The server starts: what it writes from now on belongs to a new life. */
  begin(name: string): void
  /** The last lines, oldest first, as the server wrote them. */
  tail(name: string, lines: number): Promise<string[]>
  /** The newest lines that match the query, oldest first. */
  read(name: string, query: LogQuery): Promise<LogLine[]>
  /** Lines as they come, until aborted. */
  follow(name: string, signal: AbortSignal): AsyncIterable<LogLine>
  remove(name: string): Promise<void>
  /** Workloads that have output, sorted. In lower case, because some file systems do not distinguish case. */
  names(): Promise<string[]>
}

export type LogStream = 'stdout' | 'stderr'

export interface LogLine {
  /** RFC 3339 with milliseconds. Lines from before Toolhaven stored times have neither time nor stream. */
  time?: string
  stream?: LogStream
  text: string
}

export interface LogQuery {
  /** Maximum number of lines, the newest ones. */
  lines: number
  /** Only lines written at this time or later, in milliseconds since the epoch. */
  since?: number | undefined
  /** Only the output from before the latest start of the server. */
  previous?: boolean | undefined
}
