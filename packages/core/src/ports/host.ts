import type { PackageScheme } from './runtime.ts'

/** Facts about the machine the daemon runs on that the domain needs. */
export interface Host {
  /** Resolves `~`, relative paths and symbolic links. Undefined if the path does not exist. */
  resolvePath(path: string): Promise<HostPath | undefined>
  /** The first symbolic link, dangling or not, on the way from a folder along these names. Undefined if there is none. */
  linkOnTheWay(folder: string, names: readonly string[]): Promise<string | undefined>
  /** What a mount of the path would expose that needs `privileged`, as a noun phrase. Undefined if nothing. */
  exposedBy(found: HostPath): Promise<string | undefined>
  /** Whether the path is the user's home folder or contains it. */
  holdsHome(found: HostPath): Promise<boolean>
  /** Whether the path is one of Toolhaven's own folders or is inside one. */
  isOwn(found: HostPath): Promise<boolean>
  /**
   * The files in a folder that decide which programs Git runs on this machine, with links resolved. Throws `invalid` if a mount
   * cannot protect one of them.
   */
  gitPlaces(folder: string, signal: AbortSignal): Promise<string[]>
  /** Addresses of this machine with their networks, as `192.0.2.7/24`. */
  ownAddresses(): readonly string[]
  /** Why this daemon no longer owns the state folder, as a clause. Undefined while it does. */
  stateLoss?(): Promise<string | undefined>
  /** Ports of the daemon's own API. */
  apiPorts?: ReadonlySet<number>
  /**
   * Names of the folders in the home folder or in a folder below it, without hidden ones and symbolic links. Throws `invalid` if
   * the path goes through one of these or leaves the home folder, and `not-found` if it does not exist.
   */
  listFolders(path: string): Promise<{ path: string; folders: string[] }>
  /** Text of a file below the configuration folder. Undefined if it does not exist. Throws `invalid` if the path leads outside. */
  readConfigFile(relativePath: string): Promise<string | undefined>
  /**
   * Text of a file anywhere. Undefined if it does not exist. Throws `invalid` if it is not a plain file, too long or not readable.
   */
  readTextFile(path: string): Promise<string | undefined>
}

export interface HostPath {
  /** Absolute, with symbolic links resolved. */
  path: string
  kind: 'file' | 'directory' | 'socket' | 'other'
  /** See `fileIdentity`. */
  identity: string
}

/** Finds the newest version of a package, through the user's own npm, pip or Go configuration. */
export interface PackageIndex {
  latestVersion(scheme: PackageScheme, name: string, signal: AbortSignal): Promise<string>
}
