import { notFound } from '@toolhaven/core/errors'
import type { PrepareOptions, Prepared } from '@toolhaven/core/ports/runtime'
import { ensureImage, inspectImage, type ImageDeps } from '../engine/images.ts'
import { type BuildDeps, buildImage } from './build-image.ts'
import { buildConfig, type UserConfig } from './build-config.ts'
import { renderPackageImage, type BaseImages, type PackageSource } from './package-image.ts'

export interface PackageBuildOptions {
  baseImages: BaseImages
  /** The user's package configuration, read for each build; see user-config.ts. */
  userConfig: (signal: AbortSignal) => Promise<UserConfig>
  /** HTTP_PROXY, HTTPS_PROXY and NO_PROXY, for the time of the fetch. */
  proxies: Readonly<Record<string, string>>
}

export interface PackageDeps extends ImageDeps, BuildDeps {
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
  const { caCertificate, install: access, onProgress } = options
  const image = renderPackageImage(source, builds.baseImages, { caCertificate, installHosts: access?.hosts })
  const present = await inspectImage(client, image.tag, signal)
  if (present !== undefined) return { id: present.id }
  await ensureImage(deps, image.baseImage, { ...options, pull: 'if-absent' }, signal)
  const user = buildConfig(source.scheme, await builds.userConfig(signal))
  const variables = { ...builds.proxies, ...user.variables }
  const input = { image, source, access, onProgress, ...user, variables }
  await buildImage(deps, input, signal)
  const built = await inspectImage(client, image.tag, signal)
  if (built === undefined)
    throw notFound(`The image of ${source.name} was built but is not on the engine; look at the engine's own log.`)
  return { id: built.id }
}
