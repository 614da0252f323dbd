import type { Confinement } from '@toolhaven/contract/isolation'
import type { WayOut } from './egress.ts'

export type { Confinement } from '@toolhaven/contract/isolation'

/**
 * A place where MCP servers run: a container engine, or sandboxed local processes.
 * No type of any library appears here; one conformance suite (testing/runtime-suite) holds every adapter to these words.
 *
 * Errors: adapters throw ThvError. `unavailable` means the runtime itself does not answer (the caller retries
 * later and changes nothing); `not-found` means the image, package or instance is not there; `invalid` means the
 * request can never work and says what to change; `conflict` means the instance name is taken by somebody else.
 *
 * Every call settles soon after its signal aborts. The supervisor goes on without one that does not.
 */
export interface Runtime {
  readonly name: RuntimeName

  /** Looks whether the runtime is there and well; never throws. */
  probe(signal: AbortSignal): Promise<RuntimeHealth>

  /** Makes a source startable: pulls the image, or builds or fetches the package. Idempotent and cached. */
  prepare(source: Source, options: PrepareOptions, signal: AbortSignal): Promise<Prepared>

  /** Gives what was prepared a further name as an image; left out where there are no images. */
  tag?(prepared: Prepared, reference: string, signal: AbortSignal): Promise<void>

  /** Creates the instance, not yet started. A leftover of the same name *and owner* is replaced. */
  create(spec: InstanceSpec, signal: AbortSignal): Promise<InstanceHandle>

  /** Connects to stdin, stdout and stderr. Called between create and start, or on a running instance after a daemon restart. */
  attach(handle: InstanceHandle, signal: AbortSignal): Promise<StdioChannel>

  start(handle: InstanceHandle, signal: AbortSignal): Promise<void>

  /** What is true of the instance now; `absent` when it is gone. */
  inspect(handle: InstanceHandle, signal: AbortSignal): Promise<InstanceState>

  /** What confines the instance now, as the kernel or the engine has it; undefined when it does not run. */
  confinement?(handle: InstanceHandle, signal: AbortSignal): Promise<Confinement | undefined>

  /** What the instance uses now, by one look; undefined when it does not run. Left out by runtimes that cannot tell. */
  usage?(handle: InstanceHandle, signal: AbortSignal): Promise<Usage | undefined>

  /** Asks it to end (SIGTERM), waits `graceMs`, then kills it and its descendants. Resolves when it is down; fine if already down or absent. */
  stop(handle: InstanceHandle, graceMs: number, signal: AbortSignal): Promise<void>

  /** Removes the instance with all that belongs to it; fine if absent. Kills it if it still runs. */
  remove(handle: InstanceHandle, signal: AbortSignal): Promise<void>

  /** Output of the instance, oldest first. With `follow`, goes on until the instance ends or the signal aborts. */
  logs(handle: InstanceHandle, options: LogOptions, signal: AbortSignal): AsyncIterable<LogChunk>

  /** All instances, running or not, whose labels include every given pair. */
  list(labels: Readonly<Record<string, string>>, signal: AbortSignal): Promise<ListedInstance[]>

  /** Lookup by exact instance name, never by pattern. */
  find(name: string, signal: AbortSignal): Promise<ListedInstance | undefined>

  /** Whether the runtime itself holds this port of this machine; left out where it holds none. */
  isOwnPort?(port: number): boolean

  /** Lives and deaths of instances from now on. Ends with an `unavailable` error when the runtime goes away. */
  events(signal: AbortSignal): AsyncIterable<RuntimeEvent>

  [Symbol.asyncDispose](): Promise<void>
}

export type RuntimeName = 'docker' | 'podman' | 'process' | 'kubernetes'

export type RuntimeHealth =
  | { state: 'undetected'; reason: string }
  | { state: 'unhealthy'; reason: string }
  | { state: 'healthy'; version: string; capabilities: RuntimeCapabilities; notes: string[] }

export interface RuntimeCapabilities {
  /** Runs OCI images; without it only packages (`npx://`, `uvx://`). */
  images: boolean
  /** Instances outlive the daemon and can be attached to again. */
  survivesDaemon: boolean
  /** Why a limit cannot be enforced here, in one sentence. A limit that is absent is enforced. */
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

/** A server that the user writes. The mounts hold the folder itself, and `prepare` only what it needs besides. */
export interface FolderSource {
  kind: 'folder'
  /** Absolute, with symbolic links resolved. */
  path: string
  /** How to start it; left out: as its project says. */
  command?: readonly string[]
}

export interface PrepareOptions {
  /**
   * Images only: `if-absent` uses a local copy; `always` asks the registry and falls back to the local copy; `never` is
   * `not-found` without a local copy.
   */
  pull: 'if-absent' | 'always' | 'never'
  /** PEM text added to the trust store of builds and fetches. */
  caCertificate?: string
  /** Packages and folders only. Left out: they are fetched on the ordinary network, and what they run while they are installed has none. */
  install?: InstallAccess
  onProgress: (progress: Progress) => void
}

/** `fetch` has the user's tokens and runs nothing of a package, `install` runs its scripts and builds and has none. */
export type InstallStep = 'fetch' | 'install'

/** What packages may reach while they are fetched and installed. */
export interface InstallAccess {
  /** Which installation (state folder) asks: by it a runtime finds what a killed daemon left behind. */
  owner: string
  /** Hosts that the user allows besides the package indexes. Another list may give another result. */
  hosts: readonly string[]
  /**
   * Opens the network of one run. `places` are the package indexes in use, and for a fetch the user's own proxies, as `host:port`.
   * A fetch reaches every public host besides them, an install none.
   */
  open(step: InstallStep, places: readonly string[]): Promise<InstallNetwork>
  /** Told when a package has to be fetched on the ordinary network. */
  unguarded(reason: string): void
  /** Told when scripts failed and the server is started without what they would have made. */
  failed(reason: string): void
}

/** Closed when it is disposed of. */
export interface InstallNetwork extends AsyncDisposable {
  way: WayOut
  /** Hosts that were refused so far. */
  refused(): readonly string[]
}

export interface Progress {
  phase: 'resolving' | 'verifying' | 'pulling' | 'building' | 'fetching' | 'starting' | 'connecting'
  /** Bytes or steps, when known. */
  done?: number
  total?: number
  /** A few words: the layer, the build step, the package. */
  detail?: string
}

export interface Prepared {
  /** What `create` starts: an image id, or a folder of the runtime's own. Opaque to others. */
  id: string
  /** `sha256:…` of the image, when there is one. */
  digest?: string
  /** All digests its registry may have it under, when they are more than one. */
  digests?: readonly string[]
  /** Full reference of an image that was built. */
  reference?: string
}

export interface InstanceSpec {
  /** Instance name, `thv-NAME`; of a further client session's own, `thv-NAME-TAG`. */
  name: string
  labels: Readonly<Record<string, string>>
  prepared: Prepared
  source: Source
  /** Arguments after the image's or package's own entry point. */
  args: readonly string[]
  env: Readonly<Record<string, string>>
  mounts: readonly Mount[]
  /** `none`: a loopback only. `host`: the network of the machine. Else one of its own, from which only these sockets lead out. */
  network: 'none' | 'host' | WayOut
  /** stdin is kept open and attached. */
  stdio: boolean
  /** TCP port the server listens on, on its loopback; the daemon, and nobody else but `host`, reaches it at `InstanceState.address`. */
  targetPort?: number
  /** It listens on the IPv6 loopback, which the network of a container may not have. */
  listensOnIpv6?: boolean
  limits: Limits
}

export interface Mount {
  /** Absolute, with symbolic links resolved. */
  hostPath: string
  containerPath: string
  readOnly: boolean
  /**
   * The `fileIdentity` that the check before this start saw. The server must not run with anything else mounted. Left out
   * for what only Toolhaven can write.
   */
  identity?: string
}

/** Which file or folder it is, whatever it is called: `DEVICE:INODE`. */
export function fileIdentity({ dev, ino }: { dev: bigint; ino: bigint }): string {
  return `${dev}:${ino}`
}

/** What is left out gets the runtime's own default, if it has one that it can enforce. */
export interface Limits {
  memoryBytes?: number
  cpus?: number
  /** Threads count too. */
  pids?: number
}

/** What cannot be told here is left out, and `notMeasured` says why. */
export interface Usage {
  /** Of all cores together since it started; it only grows. */
  cpuMs?: number
  memoryBytes?: number
  /** Threads count too, as in `Limits`. */
  pids?: number
  notMeasured?: string
}

/** Serialisable: stored with the workload and handed back after a daemon restart. */
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
  /** The server is behind this unix socket; host and port are what it calls itself. */
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
  /** Only what came at or after this RFC 3339 time. */
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
 * The pipe to one stdio server. Callbacks rather than streams keep the hot path to one function call per chunk.
 * Set the callbacks before `start`; nothing is read while paused.
 */
export interface StdioChannel {
  onStdout: (chunk: Uint8Array) => void
  onStderr: (chunk: Uint8Array) => void
  /** Called once, when either side is gone. */
  onClose: (error?: Error) => void
  /** Resolves when the pipe has room for more; rejects once closed. What is large comes in parts, which nobody has to join. */
  write(data: string | readonly Uint8Array[]): Promise<void>
  pause(): void
  resume(): void
  /** Closes our side: stdin ends. */
  close(): void
}

export const LABELS = {
  marker: 'toolhaven',
  name: 'toolhaven-name',
  /** Which installation (state folder) owns it: two daemons on one engine never reap one another. */
  instance: 'toolhaven-instance',
  generation: 'toolhaven-generation',
  /** On instances that serve one client session: they are nobody's once the daemon that started them is gone. */
  session: 'toolhaven-session',
} as const

/** Only Toolhaven sets such labels: by them it knows which containers are its own. */
export function isReservedLabel(key: string): boolean {
  return key === LABELS.marker || key.startsWith(`${LABELS.marker}-`)
}
