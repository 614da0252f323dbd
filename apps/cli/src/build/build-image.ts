import { relative } from 'node:path'
import { invalid } from '@toolhaven/core/errors'
import type { Context } from '../context.ts'
import { followTask } from '../output/follow-task.ts'
import { writeContext } from './write-context.ts'

interface BuildFlags {
  tag: string | undefined
  output: string | undefined
  dryRun: boolean
  installHost: readonly string[]
  format: string
}

/** Builds the image and prints its name. Ctrl-C cancels the build. */
export async function buildImage(context: Context, reference: string, flags: BuildFlags): Promise<void> {
  const { tag, installHost, format } = flags
  const { out } = context
  const client = await context.daemon()
  const hosts = installHost.length > 0 && { install_hosts: [...installHost] }
  const body = { package: reference, ...(tag !== undefined && { tag }), ...hosts }
  for await (const event of followTask(context, client, 'buildPackage', { body })) {
    if (event.state !== 'done') continue
    const { state: _, ...image } = event
    if (format === 'json') out.json(image)
    else out.line(image.image)
    return
  }
}

/** Prints or writes the recipe of the image. */
export async function printRecipe(context: Context, reference: string, flags: BuildFlags): Promise<void> {
  const { out, cwd, signal } = context
  const { tag, output, dryRun, installHost, format } = flags
  if (tag !== undefined) throw invalid('--tag names an image, and with --dry-run or --output none is built')
  if (installHost.length > 0)
    throw invalid('--install-host is for a build, and with --dry-run or --output nothing is built')
  if (dryRun && output !== undefined) throw invalid('--dry-run prints and --output writes; pass one of them')
  const client = await context.daemon()
  const recipe = await client.call('getBuildRecipe', { query: { package: reference } }, signal)
  if (output !== undefined) {
    const paths = await writeContext(cwd, output, recipe)
    if (format === 'json') return out.json({ package: recipe.package, files: paths })
    for (const path of paths) out.line(relative(cwd, path))
    return
  }
  if (format === 'json') return out.json(recipe)
  out.line(recipe.dockerfile.trimEnd())
  if (out.isTerminal) out.note('It copies files that belong to it; --output FOLDER/ writes all of them.')
}
