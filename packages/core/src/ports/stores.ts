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

/** What is kept of a workload. Status is not here: it is derived from this and from what is observed. */
export interface StoredWorkload {
  /** What was asked for, without secret values: an edit changes this and everything else follows from it again. */
  asked: CreateRequest
  /** The registry entry it came from, as it was then: an edit that names no other image still finds it. */
  entry?: ImageServer | RemoteServer
  /** What follows from it: the configuration in force. */
  config: RunConfig
  wanted: Wanted
  port: number
  /** RFC 3339, UTC, seconds. */
  createdAt: string
  /** Grows with each edit and each asked-for restart; an instance of an older generation is replaced. */
  generation: number
  /** The reference the user asked for, as they wrote it. */
  package: string
  /** Exact package version or image digest found at the first start and kept since. */
  resolved?: { reference: string; digest?: string; verification?: StoredVerification }
  /** Last known instance. */
  handle?: InstanceHandle
  /** Where the profile came from: said in status_context. */
  profileOrigin: 'request' | 'registry' | 'default'
  /** Set where somebody else chose the remote address and nobody confirmed private ones: every dial must be to a public one. */
  publicOnly?: boolean
  /** Its server asked its clients something, or keeps tasks for them: with session_mode auto, each client gets a server of its own. */
  needsOwnServers?: boolean
  /** Until the upgrade that made this generation is known to run: what was in force before it. */
  upgrade?: { generation: number; before: BeforeUpgrade }
}

/** What an upgrade may change. */
export type BeforeUpgrade = Pick<
  StoredWorkload,
  'asked' | 'entry' | 'config' | 'wanted' | 'package' | 'resolved' | 'profileOrigin' | 'needsOwnServers'
>

/** What the check of an image's signature found; `digest` is what it is about. */
export interface StoredVerification {
  outcome: NonNullable<StartedImage['verification']>
  detail: string
  digest?: string
}

/** What a workload used of its way out, or tried to. */
export interface StoredSightings {
  name: string
  /** RFC 3339, UTC, seconds; so are the other times. */
  since: string
  places: SeenPlace[]
  /** Attempts at further places, when there were more than are kept. */
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

/** How the server of a workload ended, oldest first. */
export interface StoredExits {
  name: string
  exits: ExitRecord[]
}

/** A browser that is logged in to the console. */
export interface StoredConsoleLogin {
  /** Also what it is called. */
  name: string
  /** Of what the browser holds. */
  hash: string
  /** Of the token of the API that was in force. */
  keyHash: string
  createdAt: string
  expiresAt: string
}

/** A tool, a prompt, a resource template or the instructions, as the server defines them. */
export interface LockedDefinition {
  /** Tells it from others of its part; of a resource template, its `uriTemplate`. */
  name: string
  /** Of the whole definition, whatever the order of its keys. */
  hash: string
  /** As JSON text. */
  definition: string
}

/** What a workload's server says of itself, as it was accepted. */
export interface StoredToolLock {
  name: string
  /** RFC 3339, UTC, seconds. */
  since: string
  /** A part that is left out was not seen yet. */
  parts: { [part in LockPart]?: LockedPart }
}

export interface LockedPart {
  accepted: LockedDefinition[]
  /** What the server has instead; left out: just these. */
  seen?: { at: string; revision: string; definitions: LockedDefinition[] }
}

export interface StoredGroup {
  name: string
  registeredClients: string[]
}

/** `load` sets corrupt entries aside with a log line and returns the others. Writes are atomic and durable. */
export interface RecordStore<T> {
  load(): Promise<T[]>
  save(record: T): Promise<void>
  remove(name: string): Promise<void>
  /** Records that are there and could not be read, by name in lower case, with the reason. */
  unreadable?(): ReadonlyMap<string, string>
}

export interface DaemonConfig {
  registry: { url?: string; localPath?: string; allowPrivateIp?: boolean }
  secrets: { providerType?: SecretsProviderType }
  caCertificatePath?: string
  /** Port of the API when neither a flag nor the environment names one. */
  apiPort?: number
  otel: { endpoint?: string; samplingRate?: number; envVars?: string[] }
  /** Addresses other than loopback that workloads may bind, and Host names that callers may use. */
  allowedHosts: string[]
  /** Image that package builds start from, per scheme. */
  baseImages: { npx?: string; uvx?: string; go?: string }
  /** File with the trust root that signatures of images are checked against, instead of the public one of sigstore. */
  trustedRootPath?: string
}

export interface ConfigStore {
  get(): DaemonConfig
  update(change: (config: DaemonConfig) => DaemonConfig): Promise<void>
}

export interface JournalEntry {
  /** Who asked: `api`, `cli`, `daemon`. */
  actor: string
  action: string
  target: string
  detail?: Record<string, unknown>
}

export interface Journal {
  append(entry: JournalEntry): Promise<void>
}

/** Output of workloads, kept over restarts of the container and rotated. Never throws: a full disk must not stop a server. */
export interface LogStore {
  append(name: string, stream: LogStream, text: string): void
  /** The server starts: what it writes from now on is of another life. */
  begin(name: string): void
  /** The last lines, oldest first, as the server wrote them. */
  tail(name: string, lines: number): Promise<string[]>
  /** The newest lines that the query asks for, oldest first. */
  read(name: string, query: LogQuery): Promise<LogLine[]>
  /** Lines as they come, until aborted. */
  follow(name: string, signal: AbortSignal): AsyncIterable<LogLine>
  remove(name: string): Promise<void>
  /** Whose output there is, sorted; in lower case, as file systems may not tell more. */
  names(): Promise<string[]>
}

export type LogStream = 'stdout' | 'stderr'

export interface LogLine {
  /** RFC 3339 with milliseconds. Lines that were stored before times were have neither time nor stream. */
  time?: string
  stream?: LogStream
  text: string
}

export interface LogQuery {
  /** At most so many, the newest. */
  lines: number
  /** Milliseconds since the epoch: only what was written then or later. */
  since?: number | undefined
  /** Only what the server wrote in the life before its latest start. */
  previous?: boolean | undefined
}
