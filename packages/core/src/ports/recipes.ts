import type { Source } from './runtime.ts'

export interface PackageRecipe {
  /** Full reference of the image that is made by it. */
  tag: string
  baseImage: string
  dockerfile: string
  files: Readonly<Record<string, string>>
}

/** How a runtime with images would build a package; needs no such runtime. */
export type RenderRecipe = (
  source: Extract<Source, { kind: 'package' }>,
  options: RecipeOptions,
  signal: AbortSignal,
) => Promise<PackageRecipe>

export interface RecipeOptions {
  /** PEM text that the build and the image trust besides the system's. */
  caCertificate?: string | undefined
  /** What scripts may reach; see `InstallAccess.hosts`. */
  installHosts?: readonly string[] | undefined
}
