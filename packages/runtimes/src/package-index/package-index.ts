import type { PackageIndex } from '@toolhaven/core/ports/host'
import { checkPackageName, checkPackageVersion } from '@toolhaven/core/workloads/package-reference'
import { latestNpmVersion } from './npm.ts'
import { latestPythonVersion } from './pypi.ts'

export interface PackageIndexOptions {
  /** Runs npm. */
  nodePath: string
  env: Readonly<Record<string, string | undefined>>
  homeDir: string
}

/** Asks the user's own npm, pip and Go, so that their registries, proxies and credentials are used. */
export function createPackageIndex(options: PackageIndexOptions): PackageIndex {
  const lookups = { npx: latestNpmVersion, uvx: latestPythonVersion, go: lazyGoVersion }
  return {
    latestVersion: async (scheme, name, signal) => {
      signal.throwIfAborted()
      checkPackageName(scheme, name)
      const version = await lookups[scheme](options, name, signal)
      // An index is not trusted to answer with something that is safe to pass on.
      checkPackageVersion(scheme, name, version)
      return version
    },
  }
}

/** Few users look up Go modules, so the code for it is loaded on demand. */
const lazyGoVersion: typeof latestNpmVersion = async (options, name, signal) => {
  const { latestGoVersion } = await import('./go-modules.ts')
  return latestGoVersion(options, name, signal)
}
