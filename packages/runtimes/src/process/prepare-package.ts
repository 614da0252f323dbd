import { invalid } from '@toolhaven/core/errors'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { Prepared, PrepareOptions, Source } from '@toolhaven/core/ports/runtime'
import { checkPackageName, checkPackageVersion } from '@toolhaven/core/workloads/package-reference'
import type { IndexKey } from '../package-index/index-key.ts'
import { type KnownIndex, withIndex } from '../package-index/with-index.ts'
import { prepareGo } from './go-package.ts'
import { prepareNpx } from './npx-package.ts'
import type { IsolationPlaces } from '../isolation/isolation-places.ts'
import type { ControlGroups } from './control-group.ts'
import type { ProcessLimits } from './process-limits.ts'
import type { Sandbox } from './sandbox.ts'
import { prepareUvx } from './uvx-package.ts'

export interface PackageTools {
  dataDir: string
  nodePath: string
  env: Readonly<Record<string, string | undefined>>
  homeDir: string
  sandbox: Sandbox
  controlGroups: ControlGroups
  processLimits: ProcessLimits | undefined
  isolation: IsolationPlaces
  index: KnownIndex
  logger: Logger
}

export interface PackageName {
  name: string
  version: string
}

/** Fetches a package into the data folder unless it is there; gives the folder. */
export async function preparePackage(
  { indexKey, ...tools }: Omit<PackageTools, 'index'> & { indexKey: IndexKey },
  source: Source,
  options: PrepareOptions,
  signal: AbortSignal,
): Promise<Prepared> {
  if (source.kind === 'image') {
    throw invalid(
      `The image ${source.reference} needs a container engine; install Docker or Podman, or choose a server from npm or PyPI (npx://, uvx://).`,
    )
  }
  checkPackageName(source.scheme, source.name)
  checkPackageVersion(source.scheme, source.name, source.version)
  const prepare = { npx: prepareNpx, uvx: prepareUvx, go: prepareGo }[source.scheme]
  const fetch = (index: KnownIndex) => prepare({ ...tools, index }, source, options, signal)
  return { id: await withIndex(indexKey, source, fetch, signal) }
}
