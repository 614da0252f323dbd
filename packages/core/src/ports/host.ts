import type { PackageScheme } from './runtime.ts'

/** Facts about the machine the daemon runs on that the domain needs. */
export interface Host {
  /** Resolves `~`, relative paths and symbolic links; undefined when nothing is there. */
  resolvePath(path: string): Promise<HostPath | undefined>
  /** The first symbolic link on the way from a folder along these names, dangling ones included; undefined when there is none. */
  linkOnTheWay(folder: string, names: readonly string[]): Promise<string | undefined>
  /** What a mount of the path would give away that needs `privileged`, as a noun phrase; undefined when it is nothing. */
  exposedBy(found: HostPath): Promise<string | undefined>
  /** Whether the path is the user's home folder or holds it. */
  holdsHome(found: HostPath): Promise<boolean>
  /** Whether the path is one of Toolhaven's own folders or lies in one. */
  isOwn(found: HostPath): Promise<boolean>
  /**
   * What lies in a folder and decides which programs Git runs on this machine, with links resolved. `invalid` where something
   * like that is in no form that a mount can protect.
   */
  gitPlaces(folder: string, signal: AbortSignal): Promise<string[]>
  /** Addresses of this machine and networks that it is connected to: `192.0.2.7/24`. */
  ownAddresses(): readonly string[]
  /** Why the state folder is no longer this daemon's, as a clause; undefined while it is. */
  stateLoss?(): Promise<string | undefined>
  /** Ports at which the daemon's own API listens. */
  apiPorts?: ReadonlySet<number>
  /**
   * Names of the folders in a folder below the home folder, which a path may leave out. Without hidden ones and symbolic links;
   * `invalid` when the path leads through one or out of the home folder, `not-found` when nothing is there.
   */
  listFolders(path: string): Promise<{ path: string; folders: string[] }>
  /** Text of a file below the configuration folder; undefined when absent, `invalid` when the path leads outside. */
  readConfigFile(relativePath: string): Promise<string | undefined>
  /** Text of a file anywhere; undefined when absent, `invalid` when it is no plain file, too long or not readable. */
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
