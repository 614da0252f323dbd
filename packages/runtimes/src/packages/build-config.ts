import type { PackageScheme } from '@toolhaven/core/ports/runtime'
import { type DefaultIndexes, withFileHosts } from '../package-index/default-indexes.ts'
import { goPlaces } from '../package-index/go-env.ts'
import { hasCredentials, indexPlaces } from '../package-index/index-places.ts'
import { proxyPlaces } from '../package-index/network-variables.ts'
import { tokensInUse } from '../package-index/npm-tokens.ts'
import { pipConfForBuild } from '../package-index/pip-settings.ts'
import { checkPipCanFollow, type PythonSettings } from '../package-index/python-settings.ts'

/** The parts of the user's configuration that a build uses. */
export interface BuildConfig {
  /** For the fetch, with only the credentials of hosts in use. */
  config: string
  /** For the fetch as well. May contain credentials. */
  variables: Readonly<Record<string, string>>
  /** Package indexes in use, as `host:port`. */
  indexes: string[]
  /** Proxies that it names, in the same form. */
  proxies: string[]
  /** For the code that the package runs. Contains no credentials. */
  installEnv: Record<string, string>
}

/** The user's configuration of npm, Python and Go, from files and variables, and where they look without any. */
export interface UserConfig {
  npmrc?: string
  python?: PythonSettings
  go?: Readonly<Record<string, string>>
  defaults?: DefaultIndexes
}

export function buildConfig(scheme: PackageScheme, user: UserConfig): BuildConfig {
  const { npmrc = '', python, go = {}, defaults = {} } = user
  if (scheme === 'npx') return npmBuildConfig(npmrc, defaults.npm)
  if (scheme === 'uvx') return pythonBuildConfig(python ?? { pip: {}, first: [] }, defaults.python ?? [])
  const indexes = goPlaces({ ...defaults.go, ...go })
  return { config: '', variables: go, indexes, proxies: [], installEnv: {} }
}

function pythonBuildConfig(settings: PythonSettings, usual: readonly string[]): BuildConfig {
  checkPipCanFollow(settings)
  const { pip } = settings
  const lists = ['extra-index-url', 'find-links'].flatMap((key) => pip[key]?.split('\n') ?? [])
  const addresses = [pip['index-url'] ?? usual[0] ?? '', ...lists]
  const indexes = indexPlaces(withFileHosts(addresses, usual))
  const proxies = proxyPlaces([pip['proxy']])
  return { config: pipConfForBuild(pip), variables: {}, indexes, proxies, installEnv: {} }
}

function npmBuildConfig(npmrc: string, usual: string | undefined): BuildConfig {
  const proxies = [...npmrc.matchAll(/^\s*(?:https-)?proxy\s*=\s*(\S+)/gm)].map(([, proxy]) => proxy)
  const settings = [...npmrc.matchAll(/^\s*((?:@[^:\s]+:)?registry)\s*=\s*(\S+)/gm)]
  const main = settings.findLast(([, key]) => key === 'registry')?.[2] ?? usual
  const registries = [...(main === undefined ? [] : [main]), ...settings.flatMap(([, , address]) => address ?? [])]
  return {
    config: tokensInUse(npmrc, registries),
    variables: {},
    indexes: indexPlaces(registries),
    proxies: proxyPlaces(proxies),
    // Scripts that fetch packages find them where npm did.
    installEnv: main === undefined || hasCredentials(main) ? {} : { npm_config_registry: main },
  }
}
