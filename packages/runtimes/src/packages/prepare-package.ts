import { isThvError, notFound, ThvError } from '@toolhaven/core/errors'
import type { PackageScheme, PrepareOptions, Prepared } from '@toolhaven/core/ports/runtime'
import { z } from 'zod'
import { ensureImage, inspectImage, type ImageDeps } from '../engine/images.ts'
import type { IndexKey } from '../package-index/index-key.ts'
import { type KnownIndex, withIndex } from '../package-index/with-index.ts'
import { type BuildDeps, buildImage } from './build-image.ts'
import { buildConfig, type UserConfig } from './build-config.ts'
import { renderPackageImage, type BaseImages, type PackageImage, type PackageSource } from './package-image.ts'

export interface PackageBuildOptions {
  baseImages: BaseImages
  /** The user's package configuration, read for each build. See user-config.ts. */
  userConfig: (scheme: PackageScheme, signal: AbortSignal) => Promise<UserConfig>
  indexKey: IndexKey
  /** HTTP_PROXY, HTTPS_PROXY and NO_PROXY, for the duration of the fetch. */
  proxies: Readonly<Record<string, string>>
}

export interface PackageDeps extends ImageDeps, BuildDeps {
  builds: PackageBuildOptions
}

/** Builds the package's image unless there is one made from the same recipe. */
export async function preparePackage(
  deps: PackageDeps,
  source: PackageSource,
  options: PrepareOptions,
  signal: AbortSignal,
): Promise<Prepared> {
  signal.throwIfAborted()
  const prepare = (index: KnownIndex) => prepareFrom(deps, { source, index }, options, signal)
  return withIndex(deps.builds.indexKey, source, prepare, signal)
}

interface Wanted {
  source: PackageSource
  index: KnownIndex
}

async function prepareFrom(
  deps: PackageDeps,
  { source, index }: Wanted,
  options: PrepareOptions,
  signal: AbortSignal,
): Promise<Prepared> {
  const { client, builds } = deps
  const { caCertificate, install: access } = options
  const recipe = { caCertificate, installHosts: access?.hosts, indexKey: index.key }
  const image = renderPackageImage(source, builds.baseImages, recipe)
  const present = await inspectImage(client, image.tag, signal)
  if (present !== undefined) return { id: present.id, reference: image.tag }
  return build(deps, { source, index, image }, options, signal).catch(async (error: unknown) => {
    signal.throwIfAborted()
    throw await withOtherImage(deps, image, error, signal)
  })
}

async function build(
  deps: PackageDeps,
  { source, index, image }: Wanted & { image: PackageImage },
  options: PrepareOptions,
  signal: AbortSignal,
): Promise<Prepared> {
  const { client, builds } = deps
  const { install: access, onProgress } = options
  await ensureImage(deps, image.baseImage, { ...options, pull: 'if-absent' }, signal)
  const user = buildConfig(source.scheme, await builds.userConfig(source.scheme, signal))
  const variables = { ...builds.proxies, ...user.variables }
  const input = { image, source, index, access, onProgress, ...user, variables }
  await buildImage(deps, input, signal)
  const built = await inspectImage(client, image.tag, signal)
  if (built === undefined)
    throw notFound(`The image of ${source.name} was built but is not on the engine. Look at the engine's own log.`)
  return { id: built.id, reference: image.tag }
}

const OFFLINE =
  /ENOTFOUND|EAI_AGAIN|ECONN|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|NewConnectionError|dial tcp|no such host|\bE50[234]\b/
const imagesSchema = z.array(z.looseObject({ Id: z.string() }))

/**
 * Images made by an older Toolhaven are built again, which fails without a network. The error then says so and what to
 * do.
 */
async function withOtherImage(
  { client }: PackageDeps,
  { tag }: PackageImage,
  error: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  if (!isThvError(error) || !(error.code === 'unavailable' || OFFLINE.test(error.message))) return error
  const filters = JSON.stringify({ reference: [tag.replace(/:[^:]*$/, '')] })
  const call = { method: 'GET', path: '/images/json', query: { filters } } as const
  const others = await client.json(imagesSchema, call, signal).catch(() => [])
  if (others.length === 0) return error
  const hint =
    'There is an image of this package, but another version of Toolhaven made it, or it is of another version of the package or from another package index. It is not used, because its content may differ. Connect this machine to its package index and start the workload again.'
  return new ThvError(error.code, `${error.message} ${hint}`, { cause: error })
}
