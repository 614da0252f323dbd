import type { RenderRecipe } from '@toolhaven/core/ports/recipes'
import { renderPackageImage } from './package-image.ts'
import type { PackageBuildOptions } from './prepare-package.ts'

/** Shows the recipe that a build would use now, with the same tag: the configured package index is part of it. */
export function recipeRenderer(builds: Pick<PackageBuildOptions, 'baseImages' | 'indexKey'>): RenderRecipe {
  return async (source, options, signal) =>
    renderPackageImage(source, builds.baseImages, {
      ...options,
      indexKey: await builds.indexKey(source.scheme, signal),
    })
}
