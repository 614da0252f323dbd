import { createHash } from 'node:crypto'
import { checkPackageName, checkPackageVersion } from '@toolhaven/core/workloads/package-reference'
import type { PackageScheme, Source } from '@toolhaven/core/ports/runtime'
import { fullReference, parseImageReference } from '../engine/image-reference.ts'
import type { RecipeOptions } from '@toolhaven/core/ports/recipes'
import { dockerfileOf } from './dockerfile.ts'
import { renderGo } from './go-template.ts'
import { renderNpx } from './npx-template.ts'
import type { Steps, Template } from './template.ts'
import { renderUvx } from './uvx-template.ts'

export type PackageSource = Extract<Source, { kind: 'package' }>
export type BaseImages = Partial<Record<PackageScheme, string>>

export const DEFAULT_BASE_IMAGES = {
  npx: 'docker.io/library/node:24-slim',
  uvx: 'docker.io/library/python:3.13-slim',
  go: 'docker.io/library/golang:1.25',
} as const satisfies Record<PackageScheme, string>

export interface PackageImage {
  /** Full reference of the image. Its tag is made from everything that goes into it. */
  tag: string
  baseImage: string
  /** For other builders. Toolhaven runs the steps itself. */
  dockerfile: string
  /** The rest of the build context. Nothing secret. */
  files: Readonly<Record<string, string>>
  steps: Steps
  /** Value of `BUILD_LABEL` on what the build leaves behind. */
  buildId: string
}

const TEMPLATES = { npx: renderNpx, uvx: renderUvx, go: renderGo } as const satisfies Record<PackageScheme, Template>

export interface ImageOptions extends RecipeOptions {
  /** Key of the index that the package should come from. */
  indexKey?: readonly string[]
}

/** The recipe for a package's image, without side effects. Equal input gives an equal tag. */
export function renderPackageImage(
  source: PackageSource,
  baseImages: BaseImages,
  { caCertificate, installHosts = [], indexKey = [] }: ImageOptions = {},
): PackageImage {
  const { scheme, name, version } = source
  checkPackageName(scheme, name)
  checkPackageVersion(scheme, name, version)
  const baseImage = fullReference(parseImageReference(baseImages[scheme] ?? DEFAULT_BASE_IMAGES[scheme]))
  const rendered = TEMPLATES[scheme]({ name, version, from: baseImage, hasCa: caCertificate !== undefined })
  const ca: Record<string, string> = caCertificate === undefined ? {} : { 'ca.pem': caCertificate }
  const steps = { ...rendered, files: { ...rendered.files, ...ca } }
  const render = (buildId: string) => dockerfileOf(steps, { from: baseImage, buildId })
  const hosts = installHosts.length === 0 ? [] : [installHosts.toSorted()]
  const buildId = createHash('sha256')
    .update(JSON.stringify([render(''), steps.files, ...hosts, ...indexKey]))
    .digest('hex')
    .slice(0, 32)
  const tag = `toolhaven.local/${scheme}-${slug(name)}:${buildId}`
  return { tag, baseImage, dockerfile: render(buildId), files: steps.files, steps, buildId }
}

function slug(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return plain.slice(0, 100).replaceAll(/^-+|-+$/g, '')
}
