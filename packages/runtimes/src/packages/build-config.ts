import type { PackageScheme } from '@toolhaven/core/ports/runtime'
import { NPM_INDEX, PYTHON_INDEX, withFileHosts } from '../package-index/default-indexes.ts'
import { hasCredentials, indexPlaces } from '../package-index/index-places.ts'
import { tokensInUse } from '../package-index/npm-tokens.ts'
import { parsePipConfig } from '../package-index/pip-settings.ts'

/** What of the user's configuration a build uses. */
export interface BuildConfig {
  /** For the fetch, with only the credentials of hosts in use. */
  config: string
  /** Package indexes in use, as `host:port`. */
  indexes: string[]
  /** For what the package runs; no credentials. */
  installEnv: Record<string, string>
}

export function buildConfig(
  scheme: PackageScheme,
  { npmrc = '', pipConf = '' }: { npmrc?: string; pipConf?: string },
): BuildConfig {
  if (scheme === 'npx') return npmBuildConfig(npmrc)
  // Go builds from what was fetched, so it reaches no index.
  if (scheme === 'go') return { config: '', indexes: [], installEnv: {} }
  const pip = parsePipConfig(pipConf)
  const addresses = [pip['index-url'] ?? PYTHON_INDEX, ...(pip['extra-index-url']?.split(/\s+/) ?? [])]
  return { config: pipConf, indexes: indexPlaces(withFileHosts(addresses)), installEnv: {} }
}

function npmBuildConfig(npmrc: string): BuildConfig {
  const settings = [...npmrc.matchAll(/^\s*((?:@[^:\s]+:)?registry)\s*=\s*(\S+)/gm)]
  const main = settings.findLast(([, key]) => key === 'registry')?.[2] ?? NPM_INDEX
  const registries = [main, ...settings.flatMap(([, , address]) => address ?? [])]
  return {
    config: tokensInUse(npmrc, registries),
    indexes: indexPlaces(registries),
    // Scripts that fetch packages find them where npm did.
    installEnv: hasCredentials(main) ? {} : { npm_config_registry: main },
  }
}
