import { invalid } from '@toolhaven/core/errors'
import type { FolderSource, Prepared, PrepareOptions, Source } from '@toolhaven/core/ports/runtime'
import { checkPackageName, checkPackageVersion } from '@toolhaven/core/workloads/package-reference'
import type { IndexKey } from '../package-index/index-key.ts'
import { type KnownIndex, withIndex } from '../package-index/with-index.ts'
import { readProject } from '../folder/read-project.ts'
import { NOTHING_INSTALLED } from './folder-content.ts'
import { installForFolder } from './folder-packages.ts'
import { prepareGo } from './go-package.ts'
import { prepareNpx } from './npx-package.ts'
import type { PackageTools } from './package-tools.ts'
import { prepareUvx } from './uvx-package.ts'

type Tools = Omit<PackageTools, 'index'> & { indexKey: IndexKey }

/** Fetches a package into the data folder unless it is there, and returns the folder. */
export async function preparePackage(
  { indexKey, ...tools }: Tools,
  source: Source,
  options: PrepareOptions,
  signal: AbortSignal,
): Promise<Prepared> {
  if (source.kind === 'image') {
    throw invalid(
      `The image ${source.reference} needs a container engine. Install Docker or Podman, or choose a server from npm or PyPI (npx://, uvx://).`,
    )
  }
  if (source.kind === 'folder') return prepareFolder({ indexKey, ...tools }, source, options, signal)
  checkPackageName(source.scheme, source.name)
  checkPackageVersion(source.scheme, source.name, source.version)
  const prepare = { npx: prepareNpx, uvx: prepareUvx, go: prepareGo }[source.scheme]
  const fetch = (index: KnownIndex) => prepare({ ...tools, index }, source, options, signal)
  return { id: await withIndex(indexKey, source, fetch, signal) }
}

/** Only what its project needs is fetched. The folder itself stays where it is. */
async function prepareFolder(
  { indexKey, ...tools }: Tools,
  source: FolderSource,
  options: PrepareOptions,
  signal: AbortSignal,
): Promise<Prepared> {
  const { packages } = await readProject(source)
  if (packages === undefined) return { id: NOTHING_INSTALLED }
  const scheme = packages.kind === 'npm' ? 'npx' : 'uvx'
  const fetch = (index: KnownIndex) => installForFolder({ ...tools, index }, packages, source.path, options, signal)
  return { id: await withIndex(indexKey, { scheme, name: `what ${source.path} needs` }, fetch, signal) }
}
