import type { Source } from './runtime.ts'

export interface PackageRecipe {
  /** Full reference of the image that the recipe builds. */
  tag: string
  baseImage: string
  dockerfile: string
  files: Readonly<Record<string, string>>
}

/** Describes how an engine would build a package. Needs no engine. */
export type RenderRecipe = (
  source: Extract<Source, { kind: 'package' }>,
  options: RecipeOptions,
  signal: AbortSignal,
) => Promise<PackageRecipe>

export interface RecipeOptions {
  /** PEM text that the build and the image trust in addition to the system's certificates. */
  caCertificate?: string | undefined
  /** Hosts that install scripts may reach; see `InstallAccess.hosts`. */
  installHosts?: readonly string[] | undefined
}
