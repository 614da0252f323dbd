import { invalid } from '@toolhaven/core/errors'
import type { Prepared, PrepareOptions, Source } from '@toolhaven/core/ports/runtime'
import { checkPackageName, checkPackageVersion } from '@toolhaven/core/workloads/package-reference'
import type { IndexKey } from '../package-index/index-key.ts'
import { type KnownIndex, withIndex } from '../package-index/with-index.ts'
import { prepareGo } from './go-package.ts'
import { prepareNpx } from './npx-package.ts'
import type { PackageTools } from './package-tools.ts'
import { prepareUvx } from './uvx-package.ts'

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
