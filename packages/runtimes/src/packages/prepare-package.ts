import { notFound } from '@toolhaven/core/errors'
import type { PrepareOptions, Prepared } from '@toolhaven/core/ports/runtime'
import { ensureImage, inspectImage, type ImageDeps } from '../engine/images.ts'
import { buildImage } from './build-image.ts'
import { renderPackageImage, type BaseImages, type PackageSource } from './package-image.ts'

export interface PackageBuildOptions {
  baseImages: BaseImages
  /** The user's package configuration, read anew for each build; see user-config.ts for what may go in. */
  userConfig: () => Promise<{ npmrc?: string; pipConf?: string }>
  /** HTTP_PROXY, HTTPS_PROXY, NO_PROXY, GOPROXY and the like, for the time of the build. */
  buildArgs: Readonly<Record<string, string>>
}

export interface PackageDeps extends ImageDeps {
  builds: PackageBuildOptions
}

/** Builds the package's image unless one made from the same recipe is there. */
export async function preparePackage(
  deps: PackageDeps,
  source: PackageSource,
  options: PrepareOptions,
  signal: AbortSignal,
): Promise<Prepared> {
  signal.throwIfAborted()
  const { client, builds } = deps
  const image = renderPackageImage(source, builds.baseImages, options.caCertificate)
  const present = await inspectImage(client, image.tag, signal)
  if (present !== undefined) return { id: present.id }
  await ensureImage(deps, image.baseImage, { ...options, pull: 'if-absent' }, signal)
  const { npmrc = '', pipConf = '' } = await builds.userConfig()
  const secretFiles: Record<string, string> =
    source.scheme === 'npx' ? { npmrc } : source.scheme === 'uvx' ? { 'pip.conf': pipConf } : {}
  await buildImage(
    client,
    { image, source, secretFiles, buildArgs: builds.buildArgs, onProgress: options.onProgress },
    signal,
  )
  const built = await inspectImage(client, image.tag, signal)
  if (built === undefined)
    throw notFound(`The image of ${source.name} was built but is not on the engine; look at the engine's own log.`)
  return { id: built.id }
}
