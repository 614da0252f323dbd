import type { PackageScheme } from './runtime.ts'

/** Facts about the machine the daemon runs on that the domain needs. */
export interface Host {
  /** Resolves `~`, relative paths and symbolic links; undefined when nothing is there. */
  resolvePath(path: string): Promise<{ path: string; kind: 'file' | 'directory' | 'socket' | 'other' } | undefined>
  /** Paths nobody may mount without `privileged`: `/`, engine sockets, our own folders. */
  readonly protectedPaths: readonly string[]
  /** Text of a file below the configuration folder; undefined when absent, `invalid` when the path leads outside. */
  readConfigFile(relativePath: string): Promise<string | undefined>
}

/** Finds the newest version of a package, through the user's own npm, pip or Go configuration. */
export interface PackageIndex {
  latestVersion(scheme: PackageScheme, name: string, signal: AbortSignal): Promise<string>
}
