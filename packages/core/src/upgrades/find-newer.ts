import type { ImageServer } from '@toolhaven/contract/registry-document'
import type { Upgrade } from '@toolhaven/contract/upgrades'
import { describeError, isThvError, unavailable } from '../errors.ts'
import type { PackageIndex } from '../ports/host.ts'
import type { ImageRegistry } from '../ports/image-registry.ts'
import type { StoredWorkload } from '../ports/stores.ts'
import { atDigest, digestOf } from '../workloads/config/image-reference.ts'
import { parsePackageReference } from '../workloads/config/package-reference.ts'
import type { WorkloadsDeps } from '../workloads/workloads-deps.ts'
import { compareVersions, isPreRelease } from './compare-versions.ts'
import { isNewerTag, isVersionTag, newerTag, repositoryOf, tagOf, withTag } from './newer-tag.ts'

interface FindDeps {
  findServer: WorkloadsDeps['findServer']
  packages: PackageIndex
  imageRegistry: ImageRegistry
}

export interface Finding extends Pick<Upgrade, 'state' | 'source' | 'from' | 'to' | 'reason'> {
  /** Of an available version: what an edit names. */
  change?: NewVersion
}

export interface NewVersion {
  image: string
  /** Exactly this version, where the image does not name it. */
  reference?: string
  /** The registry entry of the new version. */
  entry?: ImageServer
}

/** Longer than npm tries, shorter than people wait. */
const LIMIT_MS = 30_000
const SOURCES = { npx: 'npm', uvx: 'pypi', go: 'go' } as const
const NAMES = { registry: 'the registry', npm: 'npm', pypi: 'PyPI', go: 'the Go module proxy', image: 'its registry' }

/** Looks for a newer version where the one of now came from. Throws nothing but an abort of the caller's. */
export async function findNewer(deps: FindDeps, stored: StoredWorkload, signal: AbortSignal): Promise<Finding> {
  const { image, remote_url: remote, folder } = stored.config
  if (folder) return { state: 'not-upgradable', reason: 'it runs from a folder of yours: the newest version is there' }
  if (remote !== undefined || image === undefined)
    return { state: 'not-upgradable', reason: 'it is a remote server, which Toolhaven does not install' }
  const source = sourceOf(stored, image)
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)])
  try {
    return await (source === 'registry' ? inRegistry(deps, stored, limit) : inIndex(deps, { stored, image }, limit))
  } catch (error) {
    signal.throwIfAborted()
    const from = versionOf(stored, image)
    const tooLate = `${NAMES[source]} gave no answer within ${LIMIT_MS / 1000} seconds`
    const reason = limit.aborted ? tooLate : describeError(error)
    if (!isThvError(error) && !limit.aborted) throw error
    return { state: 'unknown', source, ...(from !== undefined && { from }), reason }
  }
}

const entryName = ({ entry, asked }: StoredWorkload) =>
  entry?.name !== undefined && entry.name === asked.image ? entry.name : undefined

function sourceOf(stored: StoredWorkload, image: string): NonNullable<Upgrade['source']> {
  if (entryName(stored) !== undefined) return 'registry'
  const wanted = parsePackageReference(image)
  return wanted ? SOURCES[wanted.scheme] : 'image'
}

/** Which version the workload has, as far as it is known. */
function versionOf({ resolved }: StoredWorkload, image: string): string | undefined {
  const kept = resolved?.reference ?? image
  const wanted = parsePackageReference(kept)
  if (wanted) return wanted.version
  const tag = tagOf(image)
  if (tag !== undefined && isVersionTag(tag)) return tag
  return resolved?.digest ?? digestOf(kept) ?? tag
}

/** What the registry names is what was looked at: an entry with a version is followed, and not what npm has besides. */
async function inRegistry(deps: FindDeps, stored: StoredWorkload, signal: AbortSignal): Promise<Finding> {
  const name = entryName(stored) ?? ''
  const found = await deps.findServer(name)
  signal.throwIfAborted()
  const source = 'registry'
  const image = stored.config.image ?? ''
  const from = versionOf(stored, image)
  const facts = { source, ...(from !== undefined && { from }) } as const
  if (!found) return { ...facts, state: 'unknown', reason: `the registry has no server ${name} any more` }
  if ('url' in found.server)
    return { ...facts, state: 'not-upgradable', reason: `${name} is a remote server in the registry by now` }
  const { server: entry } = found
  const next = entry.image
  if (next === image) {
    if (isFixed(image)) return { ...facts, state: 'current' }
    const finding = await inIndex(deps, { stored, image, entry }, signal)
    return { ...finding, source }
  }
  const [now, then] = [parsePackageReference(image), parsePackageReference(next)]
  if (now && then && now.scheme === then.scheme && now.name === then.name) {
    if (then.version === undefined) return { ...(await inIndex(deps, { stored, image: next, entry }, signal)), source }
    const isNewer = from === undefined || compareVersions(now.scheme, then.version, from) > 0
    if (!isNewer) return { ...facts, state: 'current', reason: `the registry has ${then.version}, which is not newer` }
    return { ...facts, state: 'available', to: then.version, change: { image: name, entry } }
  }
  // It would get the secrets, mounts and hosts that were given to the first one.
  if (now || then || repositoryOf(image) !== repositoryOf(next))
    return {
      ...facts,
      state: 'not-upgradable',
      reason: `${name} is another package in the registry by now (${next}); an edit that names ${name} as its image takes it`,
    }
  const tag = tagOf(next)
  if (tag !== undefined && from !== undefined && tag !== from && isNewerTag(tag, from) === false)
    return { ...facts, state: 'current', reason: `the registry has ${tag}, which is not newer` }
  const isByTag = tag !== undefined && withTag(image, tag) === next
  return { ...facts, state: 'available', to: isByTag ? tag : next, change: { image: name, entry } }
}

/** One and the same for ever. */
function isFixed(image: string): boolean {
  const wanted = parsePackageReference(image)
  return wanted ? wanted.version !== undefined : digestOf(image) !== undefined || isVersionTag(tagOf(image) ?? '')
}

interface Wanted {
  stored: StoredWorkload
  image: string
  entry?: ImageServer
}

function inIndex(deps: FindDeps, wanted: Wanted, signal: AbortSignal): Promise<Finding> {
  return parsePackageReference(wanted.image) ? inPackages(deps, wanted, signal) : inImages(deps, wanted, signal)
}

async function inPackages(deps: FindDeps, { stored, image, entry }: Wanted, signal: AbortSignal): Promise<Finding> {
  const wanted = parsePackageReference(image)
  if (!wanted) throw unavailable(`${image} is no package`)
  const { scheme, name } = wanted
  const source = SOURCES[scheme]
  const from = versionOf(stored, stored.config.image ?? image)
  if (from === undefined)
    return { state: 'current', source, reason: 'it takes the newest version when it starts for the first time' }
  const to = await deps.packages.latestVersion(scheme, name, signal)
  const isNewer = compareVersions(scheme, to, from) > 0 && (!isPreRelease(scheme, to) || isPreRelease(scheme, from))
  if (!isNewer) return { state: 'current', source, from }
  const reference = `${scheme}://${name}@${to}`
  const change = entry
    ? { image: entry.name ?? image, reference, entry }
    : wanted.version === undefined
      ? { image, reference }
      : { image: reference }
  return { state: 'available', source, from, to, change }
}

async function inImages(deps: FindDeps, { stored, image, entry }: Wanted, signal: AbortSignal): Promise<Finding> {
  const source = 'image'
  const from = versionOf(stored, image)
  const facts = { source, ...(from !== undefined && { from }) } as const
  if (digestOf(image) !== undefined)
    return { ...facts, state: 'not-upgradable', reason: 'its image is pinned to a digest; an edit can name another' }
  const tag = tagOf(image)
  if (tag !== undefined && isVersionTag(tag)) {
    const to = newerTag(tag, await deps.imageRegistry.tags(image, signal))
    if (to === undefined) return { ...facts, state: 'current' }
    return { ...facts, state: 'available', to, change: { image: withTag(image, to) } }
  }
  const digest = stored.resolved?.digest
  if (digest === undefined)
    return {
      ...facts,
      state: 'unknown',
      reason: 'it is not known which image runs: no registry has it, or it never started',
    }
  const digests = await deps.imageRegistry.digests(image, signal)
  if (digests === undefined) return { ...facts, state: 'unknown', reason: `its registry has no ${image} any more` }
  const [to = ''] = digests
  // An engine may know an image by its own digest, or by that of the list it is in.
  if (digests.includes(digest)) return { ...facts, state: 'current' }
  const change = { image: entry?.name ?? image, reference: atDigest(image, to), ...(entry && { entry }) }
  return { ...facts, state: 'available', to, change }
}
