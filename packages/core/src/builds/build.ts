import type { BuildRecipe, BuildRequest, BuiltImage } from '@toolhaven/contract/builds'
import { invalid, isThvError, ThvError } from '../errors.ts'
import type { PackageIndex } from '../ports/host.ts'
import type { RenderRecipe } from '../ports/recipes.ts'
import type { Progress, Runtime, Source } from '../ports/runtime.ts'
import type { InstallNetworks } from '../workloads/running/install-networks.ts'
import { checkInstallHosts } from '../workloads/config/check-hosts.ts'
import { excerpt } from '@toolhaven/contract/visible-text'
import { checkImageReference } from '../workloads/config/image-reference.ts'
import { parsePackageReference } from '../workloads/config/package-reference.ts'

export interface BuildsDeps {
  runtime: Runtime
  packages: PackageIndex
  renderRecipe: RenderRecipe
  /** PEM text that builds trust in addition to the system's certificates. */
  caCertificate: () => Promise<string | undefined>
  installs: InstallNetworks
}

type PackageSource = Extract<Source, { kind: 'package' }>

export async function buildRecipe(deps: BuildsDeps, reference: string, signal: AbortSignal): Promise<BuildRecipe> {
  const source = await resolve(deps, reference, () => undefined, signal)
  const caCertificate = await deps.caCertificate()
  const { tag, baseImage, dockerfile, files } = await deps.renderRecipe(source, { caCertificate }, signal)
  return { package: referenceOf(source), image: tag, base_image: baseImage, dockerfile, files: { ...files } }
}

/** Refuses at once what cannot succeed. */
export function checkBuild(
  { runtime }: BuildsDeps,
  { package: reference, tag, install_hosts: hosts = [] }: BuildRequest,
): void {
  parse(reference)
  checkInstallHosts(hosts)
  if (tag !== undefined) checkTag(tag)
  if (runtime.tag === undefined)
    throw invalid(
      'building an image needs a container engine, and none is in use; install Docker or Podman and start the daemon again',
    )
}

/** Builds the image unless one from the same recipe exists, and gives it the requested name. */
export async function buildPackage(
  deps: BuildsDeps,
  { package: reference, tag, install_hosts: hosts }: BuildRequest,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<BuiltImage> {
  const { runtime } = deps
  const source = await resolve(deps, reference, onProgress, signal)
  const caCertificate = await deps.caCertificate()
  const install = deps.installs.access({ source, hosts })
  const options = {
    pull: 'if-absent',
    install,
    onProgress,
    ...(caCertificate !== undefined && { caCertificate }),
  } as const
  const prepared = await runtime.prepare(source, options, signal)
  if (tag !== undefined) await runtime.tag?.(prepared, tag, signal)
  const recipeTag = async () => (await deps.renderRecipe(source, { caCertificate, installHosts: hosts }, signal)).tag
  const image = tag ?? prepared.reference ?? (await recipeTag())
  return { package: referenceOf(source), image, id: prepared.id }
}

async function resolve(
  { packages }: BuildsDeps,
  reference: string,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<PackageSource> {
  const { scheme, name, version } = parse(reference)
  if (version !== undefined) return { kind: 'package', scheme, name, version }
  onProgress({ phase: 'resolving', detail: name })
  const newest = await packages.latestVersion(scheme, name, signal).catch((error: unknown) => {
    // The fault lies with the index or the network, not with the caller or the daemon.
    throw isThvError(error, 'unavailable') ? new ThvError('upstream', error.message, { cause: error }) : error
  })
  return { kind: 'package', scheme, name, version: newest }
}

function parse(reference: string) {
  const parsed = parsePackageReference(reference)
  if (parsed) return parsed
  throw invalid(`"${excerpt(reference)}" is not a package; write npx://NAME, uvx://NAME or go://MODULE`)
}

function checkTag(tag: string): void {
  checkImageReference(tag)
  if (tag.includes('@')) throw invalid(`tag "${excerpt(tag)}" must be a name such as team/server:1.0, without a digest`)
}

const referenceOf = ({ scheme, name, version }: PackageSource) => `${scheme}://${name}@${version}`
