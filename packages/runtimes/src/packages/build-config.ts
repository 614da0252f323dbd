import type { PackageScheme } from '@toolhaven/core/ports/runtime'
import { type DefaultIndexes, withFileHosts } from '../package-index/default-indexes.ts'
import { goPlaces } from '../package-index/go-env.ts'
import { hasCredentials, indexPlaces } from '../package-index/index-places.ts'
import { proxyPlaces } from '../package-index/network-variables.ts'
import { tokensInUse } from '../package-index/npm-tokens.ts'
import { parsePipConfig } from '../package-index/pip-settings.ts'

/** What of the user's configuration a build uses. */
export interface BuildConfig {
  /** For the fetch, with only the credentials of hosts in use. */
  config: string
  /** Package indexes in use, as `host:port`. */
  indexes: string[]
  /** Proxies that it names, in the same form. */
  proxies: string[]
  /** For what the package runs; no credentials. */
  installEnv: Record<string, string>
}

/** The user's configuration of npm and pip, and where they look without any. */
export interface UserConfig {
  npmrc?: string
  pipConf?: string
  defaults?: DefaultIndexes
}

export function buildConfig(
  scheme: PackageScheme,
  { npmrc = '', pipConf = '', defaults: { npm, python = [], go = {} } = {} }: UserConfig,
  variables: Readonly<Record<string, string>>,
): BuildConfig {
  if (scheme === 'npx') return npmBuildConfig(npmrc, npm)
  if (scheme === 'go') return { config: '', indexes: goPlaces({ ...go, ...variables }), proxies: [], installEnv: {} }
  const pip = parsePipConfig(pipConf)
  const addresses = [pip['index-url'] ?? python[0] ?? '', ...(pip['extra-index-url']?.split(/\s+/) ?? [])]
  const indexes = indexPlaces(withFileHosts(addresses, python))
  return { config: pipConf, indexes, proxies: proxyPlaces([pip['proxy']]), installEnv: {} }
}

function npmBuildConfig(npmrc: string, usual: string | undefined): BuildConfig {
  const proxies = [...npmrc.matchAll(/^\s*(?:https-)?proxy\s*=\s*(\S+)/gm)].map(([, proxy]) => proxy)
  const settings = [...npmrc.matchAll(/^\s*((?:@[^:\s]+:)?registry)\s*=\s*(\S+)/gm)]
  const main = settings.findLast(([, key]) => key === 'registry')?.[2] ?? usual
  const registries = [...(main === undefined ? [] : [main]), ...settings.flatMap(([, , address]) => address ?? [])]
  return {
    config: tokensInUse(npmrc, registries),
    indexes: indexPlaces(registries),
    proxies: proxyPlaces(proxies),
    // Scripts that fetch packages find them where npm did.
    installEnv: main === undefined || hasCredentials(main) ? {} : { npm_config_registry: main },
  }
}
