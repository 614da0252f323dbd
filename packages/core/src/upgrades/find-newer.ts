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
  /** The image that an edit would name, if a version is available. */
  change?: NewVersion
}

export interface NewVersion {
  image: string
  /** The exact version, if the image does not name it. */
  reference?: string
  /** The registry entry of the new version. */
  entry?: ImageServer
}

/** Longer than npm retries, shorter than people wait. */
const LIMIT_MS = 30_000
const SOURCES = { npx: 'npm', uvx: 'pypi', go: 'go' } as const
const NAMES = { registry: 'the registry', npm: 'npm', pypi: 'PyPI', go: 'the Go module proxy', image: 'its registry' }

/** Looks for a newer version where the present one came from. Throws only the caller's abort. */
export async function findNewer(deps: FindDeps, stored: StoredWorkload, signal: AbortSignal): Promise<Finding> {
  const { image, remote_url: remote, folder } = stored.config
  if (folder)
    return { state: 'not-upgradable', reason: 'it runs from your own folder, which always has the newest version' }
  if (remote !== undefined || image === undefined)
    return { state: 'not-upgradable', reason: 'it is a remote server, which Toolhaven does not install' }
  const source = sourceOf(stored, image)
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)])
  try {
    return await (source === 'registry' ? inRegistry(deps, stored, limit) : inIndex(deps, { stored, image }, limit))
  } catch (error) {
    signal.throwIfAborted()
    const from = versionOf(stored, image)
    const tooLate = `${NAMES[source]} did not answer within ${LIMIT_MS / 1000} seconds`
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

/** The present version of the workload, if it is known. */
function versionOf({ resolved }: StoredWorkload, image: string): string | undefined {
  const kept = resolved?.reference ?? image
  const wanted = parsePackageReference(kept)
  if (wanted) return wanted.version
  const tag = tagOf(image)
  if (tag !== undefined && isVersionTag(tag)) return tag
  return resolved?.digest ?? digestOf(kept) ?? tag
}

/**
 * The maintainers of the registry reviewed the version that it names. So an entry with a version is followed, not npm's newest
 * version.
 */
async function inRegistry(deps: FindDeps, stored: StoredWorkload, signal: AbortSignal): Promise<Finding> {
  const name = entryName(stored) ?? ''
  const found = await deps.findServer(name)
  signal.throwIfAborted()
  const source = 'registry'
  const image = stored.config.image ?? ''
  const from = versionOf(stored, image)
  const facts = { source, ...(from !== undefined && { from }) } as const
  if (!found) return { ...facts, state: 'unknown', reason: `the registry no longer has a server ${name}` }
  if ('url' in found.server)
    return { ...facts, state: 'not-upgradable', reason: `${name} is now a remote server in the registry` }
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
  // The other package would get the secrets, mounts and hosts that the user granted to the first one.
  if (now || then || repositoryOf(image) !== repositoryOf(next))
    return {
      ...facts,
      state: 'not-upgradable',
      reason: `${name} is now another package in the registry (${next}); to use it, edit the workload and set its image to ${name}`,
    }
  const tag = tagOf(next)
  if (tag !== undefined && from !== undefined && tag !== from && isNewerTag(tag, from) === false)
    return { ...facts, state: 'current', reason: `the registry has ${tag}, which is not newer` }
  const isByTag = tag !== undefined && withTag(image, tag) === next
  return { ...facts, state: 'available', to: isByTag ? tag : next, change: { image: name, entry } }
}

/** A version that never changes. */
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
  if (!wanted) throw unavailable(`${image} is not a package`)
  const { scheme, name } = wanted
  const source = SOURCES[scheme]
  const from = versionOf(stored, stored.config.image ?? image)
  if (from === undefined)
    return { state: 'current', source, reason: 'it gets the newest version when it starts for the first time' }
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
    return {
      ...facts,
      state: 'not-upgradable',
      reason: 'its image is pinned to a digest; edit the workload to choose another image',
    }
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
      reason: 'its present image is unknown: no registry has it, or it never started',
    }
  const digests = await deps.imageRegistry.digests(image, signal)
  if (digests === undefined) return { ...facts, state: 'unknown', reason: `its registry no longer has ${image}` }
  const [to = ''] = digests
  // An engine may list an image under its own digest, or under the digest of the list that contains it.
  if (digests.includes(digest)) return { ...facts, state: 'current' }
  const change = { image: entry?.name ?? image, reference: atDigest(image, to), ...(entry && { entry }) }
  return { ...facts, state: 'available', to, change }
}
