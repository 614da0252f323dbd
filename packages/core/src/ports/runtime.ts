import type { Confinement } from '@toolhaven/contract/isolation'
import type { WayOut } from './egress.ts'

export type { Confinement } from '@toolhaven/contract/isolation'

/**
 * A place where MCP servers run: a container engine, or sandboxed local processes.
 * No library type appears here. One conformance suite (testing/runtime-suite) checks every adapter against these comments.
 *
 * Errors: adapters throw ThvError. `unavailable` means the runtime itself does not answer (the caller retries
 * later and changes nothing); `not-found` means the image, package or instance is not there; `invalid` means the
 * request can never work and says what to change; `conflict` means that another owner has an instance of that name.
 *
 * Every call settles soon after its signal aborts. The supervisor abandons a call that does not.
 */
export interface Runtime {
  readonly name: RuntimeName

  /** Checks whether the runtime exists and is healthy. Never throws. */
  probe(signal: AbortSignal): Promise<RuntimeHealth>

  /** Prepares a source for starting: pulls the image, or builds or fetches the package. Idempotent and cached. */
  prepare(source: Source, options: PrepareOptions, signal: AbortSignal): Promise<Prepared>

  /** Gives the prepared image another name. Undefined for runtimes without images. */
  tag?(prepared: Prepared, reference: string, signal: AbortSignal): Promise<void>

  /** Creates the instance, not yet started. A leftover of the same name *and owner* is replaced. */
  create(spec: InstanceSpec, signal: AbortSignal): Promise<InstanceHandle>

  /** Connects to stdin, stdout and stderr. Called between create and start, or on a running instance after a daemon restart. */
  attach(handle: InstanceHandle, signal: AbortSignal): Promise<StdioChannel>

  start(handle: InstanceHandle, signal: AbortSignal): Promise<void>

  /** The present state of the instance; `absent` if it is gone. */
  inspect(handle: InstanceHandle, signal: AbortSignal): Promise<InstanceState>

  /** What confines the instance now, as the kernel or the engine reports it. Undefined if it does not run. */
  confinement?(handle: InstanceHandle, signal: AbortSignal): Promise<Confinement | undefined>

  /** Measures once what the instance uses. Undefined if it does not run. Runtimes that cannot measure have no such method. */
  usage?(handle: InstanceHandle, signal: AbortSignal): Promise<Usage | undefined>

  /** Sends SIGTERM, waits `graceMs`, then kills it and its descendants. Resolves when it is down, even if it was before. */
  stop(handle: InstanceHandle, graceMs: number, signal: AbortSignal): Promise<void>

  /** Removes the instance and everything that belongs to it, and kills it if it still runs. Does nothing if it is absent. */
  remove(handle: InstanceHandle, signal: AbortSignal): Promise<void>

  /** Output of the instance, oldest first. With `follow`, continues until the instance ends or the signal aborts. */
  logs(handle: InstanceHandle, options: LogOptions, signal: AbortSignal): AsyncIterable<LogChunk>

  /** All instances, running or not, that have all the given labels. */
  list(labels: Readonly<Record<string, string>>, signal: AbortSignal): Promise<ListedInstance[]>

  /** Lookup by exact instance name, never by pattern. */
  find(name: string, signal: AbortSignal): Promise<ListedInstance | undefined>

  /** Whether the runtime itself listens on this port of the machine. Runtimes that never do have no such method. */
  isOwnPort?(port: number): boolean

  /** Starts and ends of instances from now on. Ends with an `unavailable` error if the runtime goes away. */
  events(signal: AbortSignal): AsyncIterable<RuntimeEvent>

  [Symbol.asyncDispose](): Promise<void>
}

export type RuntimeName = 'docker' | 'podman' | 'process'

export type RuntimeHealth =
  | { state: 'undetected'; reason: string }
  | { state: 'unhealthy'; reason: string }
  | { state: 'healthy'; version: string; capabilities: RuntimeCapabilities; notes: string[] }

export interface RuntimeCapabilities {
  /** Can run OCI images. Otherwise only packages (`npx://`, `uvx://`). */
  images: boolean
  /** Instances outlive the daemon, which can attach to them again. */
  survivesDaemon: boolean
  /** For each limit that cannot be enforced here, the reason in one sentence. All other limits are enforced. */
  unenforced: Readonly<Partial<Record<keyof Limits, string>>>
  /** Which sandbox is in force, in a few words ("Docker 28.2, default seccomp", "bubblewrap"). */
  sandbox: string
}

export type PackageScheme = 'npx' | 'uvx' | 'go'

export type Source =
  | { kind: 'image'; reference: string }
  /** `version` is always exact here: it was resolved before. */
  | { kind: 'package'; scheme: PackageScheme; name: string; version: string }
  | FolderSource

/** A server that the user develops. The mounts hold the folder itself; `prepare` only provides what it needs besides. */
export interface FolderSource {
  kind: 'folder'
  /** Absolute, with symbolic links resolved. */
  path: string
  /** How to start it (default: as its project files say). */
  command?: readonly string[]
}

export interface PrepareOptions {
  /** Images only. `if-absent` uses a local copy, `always` asks the registry before it does, `never` asks no registry. */
  pull: 'if-absent' | 'always' | 'never'
  /** PEM text added to the trust store of builds and fetches. */
  caCertificate?: string
  /** For packages and folders only. If undefined, they are fetched on the ordinary network, and their install scripts have none. */
  install?: InstallAccess
  onProgress: (progress: Progress) => void
}

/** `fetch` has the user's tokens and runs no code of a package. `install` runs its scripts and builds, and has no tokens. */
export type InstallStep = 'fetch' | 'install'

/** What packages may reach while they are fetched and installed. */
export interface InstallAccess {
  /** The installation (state folder) that asks. With it, a runtime finds what a killed daemon left behind. */
  owner: string
  /** Hosts that the user allows besides the package indexes. A different list may lead to a different result. */
  hosts: readonly string[]
  /**
   * Opens the network of one run. `places` are the package indexes in use and, for a fetch, the user's own proxies, as `host:port`.
   * A fetch also reaches every public host; an install reaches no others.
   */
  open(step: InstallStep, places: readonly string[]): Promise<InstallNetwork>
  /** Called when a package must be fetched on the ordinary network. */
  unguarded(reason: string): void
  /** Called when install scripts failed and the server starts without their results. */
  failed(reason: string): void
}

/** Disposing of it closes the network. */
export interface InstallNetwork extends AsyncDisposable {
  way: WayOut
  /** Hosts that have been refused so far. */
  refused(): readonly string[]
}

export interface Progress {
  phase: 'resolving' | 'verifying' | 'pulling' | 'building' | 'fetching' | 'starting' | 'connecting'
  /** Bytes or steps, if known. */
  done?: number
  total?: number
  /** A short description: the layer, the build step or the package. */
  detail?: string
}

export interface Prepared {
  /** What `create` starts: an image ID, or a folder of the runtime. Opaque to callers. */
  id: string
  /** `sha256:…` of the image, if there is one. */
  digest?: string
  /** All digests under which its registry may have it, if there is more than one. */
  digests?: readonly string[]
  /** Full reference of an image that was built. */
  reference?: string
}

export interface InstanceSpec {
  /** Instance name: `thv-NAME`, or `thv-NAME-TAG` for the instance of a client session. */
  name: string
  labels: Readonly<Record<string, string>>
  prepared: Prepared
  source: Source
  /** Arguments after the image's or package's own entry point. */
  args: readonly string[]
  env: Readonly<Record<string, string>>
  mounts: readonly Mount[]
  /** `none`: loopback only. `host`: the machine's network. Otherwise its own network; these sockets are its only ways out. */
  network: 'none' | 'host' | WayOut
  /** stdin is kept open and attached. */
  stdio: boolean
  /**
   * TCP port on which the server listens, on its loopback. Only the daemon reaches it, at `InstanceState.address`; in `host` mode,
   * other programs of the machine can too.
   */
  targetPort?: number
  /** The server listens on the IPv6 loopback, which the network of a container may not have. */
  listensOnIpv6?: boolean
  limits: Limits
}

export interface Mount {
  /** Absolute, with symbolic links resolved. */
  hostPath: string
  containerPath: string
  readOnly: boolean
  /**
   * The `fileIdentity` that the check before this start saw. The server must not run with anything else mounted. Undefined for
   * paths that only Toolhaven can write.
   */
  identity?: string
}

/** Identifies a file or folder independently of its name, as `DEVICE:INODE`. */
export function fileIdentity({ dev, ino }: { dev: bigint; ino: bigint }): string {
  return `${dev}:${ino}`
}

/** For an undefined limit, the runtime uses its own default, if it has one that it can enforce. */
export interface Limits {
  memoryBytes?: number
  cpus?: number
  /** Includes threads. */
  pids?: number
}

/** Values that cannot be measured here are undefined, and `notMeasured` says why. */
export interface Usage {
  /** CPU time of all cores together since the start. */
  cpuMs?: number
  memoryBytes?: number
  /** Includes threads, as in `Limits`. */
  pids?: number
  notMeasured?: string
}

/** Serialisable: stored with the workload and passed back after a restart of the daemon. */
export interface InstanceHandle {
  runtime: RuntimeName
  id: string
  name: string
}

export type InstanceState =
  | { state: 'absent' }
  | { state: 'created' }
  /** `address` (reachable from the daemon) is there when the spec had a target port. */
  | { state: 'running'; startedAt: string; address?: InstanceAddress }
  | { state: 'exited'; exitCode: number; finishedAt: string; oomKilled: boolean }

export interface InstanceAddress {
  host: string
  port: number
  /** The server is behind this unix socket; `host` and `port` are the address that it uses for itself. */
  socketPath?: string
}

export interface ListedInstance {
  handle: InstanceHandle
  labels: Readonly<Record<string, string>>
  state: InstanceState['state']
}

export interface LogOptions {
  tail?: number
  follow?: boolean
  /** Only output at or after this RFC 3339 time. */
  since?: string
}

export interface LogChunk {
  stream: 'stdout' | 'stderr'
  data: Uint8Array
}

export type RuntimeEvent =
  | { kind: 'started' | 'removed'; handle: InstanceHandle; labels: Readonly<Record<string, string>> }
  | {
      kind: 'exited'
      handle: InstanceHandle
      labels: Readonly<Record<string, string>>
      exitCode: number
      oomKilled: boolean
    }

/**
 * The pipe to one stdio server. It uses callbacks instead of streams, so that a chunk costs one function call. Set the callbacks
 * before `start`. Nothing is read while paused.
 */
export interface StdioChannel {
  onStdout: (chunk: Uint8Array) => void
  onStderr: (chunk: Uint8Array) => void
  /** Called once, when either side closes. */
  onClose: (error?: Error) => void
  /** Resolves when the pipe has room for more; rejects once it is closed. Pass large data in parts; they need not be joined. */
  write(data: string | readonly Uint8Array[]): Promise<void>
  pause(): void
  resume(): void
  /** Closes our side: stdin ends. */
  close(): void
}

export const LABELS = {
  marker: 'toolhaven',
  name: 'toolhaven-name',
  /** The installation (state folder) that owns it. Two daemons on one engine never remove each other's instances. */
  instance: 'toolhaven-instance',
  generation: 'toolhaven-generation',
  /** On instances that serve one client session. They are orphans once the daemon that started them is gone. */
  session: 'toolhaven-session',
} as const

/** Only Toolhaven sets labels with this prefix, and recognises its own containers by them. */
export function isReservedLabel(key: string): boolean {
  return key === LABELS.marker || key.startsWith(`${LABELS.marker}-`)
}
