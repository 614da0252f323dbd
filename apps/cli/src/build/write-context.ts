import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { BuildRecipe } from '@toolhaven/contract/builds'
import { ThvError, conflict } from '@toolhaven/core/errors'
import { writeProblem } from '../output/write-problem.ts'

/** The user's settings of package indexes may hold tokens, so they are not written. */
const SETTINGS = '# Settings of the package index for the build, if it needs any. They do not reach the image.\n'

/**
 * Writes the Dockerfile (to a file or into a folder) and the files it copies. Only the Dockerfile may replace an existing
 * file with other content. Returns the paths.
 */
export async function writeContext(cwd: string, output: string, recipe: BuildRecipe): Promise<string[]> {
  const path = resolve(cwd, output)
  const isFolder = output.endsWith('/') || ((await stat(path).catch(() => undefined))?.isDirectory() ?? false)
  const dockerfile = isFolder ? join(path, 'Dockerfile') : path
  const folder = dirname(dockerfile)
  const files = contextFiles(recipe).map(([name, text]) => [join(folder, name), text] as const)
  try {
    await mkdir(folder, { recursive: true })
    for (const [file, text] of files) await refuseOther(file, text)
    for (const [file, text] of [[dockerfile, recipe.dockerfile] as const, ...files]) await writeFile(file, text)
  } catch (error) {
    if (error instanceof ThvError) throw error
    throw writeProblem('the files', folder, error)
  }
  return [dockerfile, ...files.map(([file]) => file)]
}

function contextFiles({ dockerfile, files }: BuildRecipe): [name: string, text: string][] {
  const copied = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, names = '']) => names.split(' '))
  return [...new Set(copied)].map((name) => [name, files[name] ?? SETTINGS])
}

async function refuseOther(file: string, text: string): Promise<void> {
  const present = await readFile(file, 'utf8').catch(() => undefined)
  if (present === undefined || present === text) return
  throw conflict(
    `${basename(file)} already exists and has different content\nChoose a new folder, such as --output image/`,
  )
}
