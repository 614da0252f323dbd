import { stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { conflict, invalid } from '@toolhaven/core/errors'
import type { Context } from '../context.ts'
import { confirm } from '../output/prompt.ts'
import { writeProblem } from '../output/write-problem.ts'

/** Readable for its owner alone: environment variables are in it. */
export async function writeExport(
  { cwd, signal }: Pick<Context, 'cwd' | 'signal'>,
  { file, force }: { file: string; force: boolean },
  text: string,
): Promise<void> {
  const path = resolve(cwd, file)
  const isThere = await refuseUnusable(path)
  if (isThere && !force) await askToReplace(path, signal)
  try {
    // `wx`: a file that another program made in the meantime is not replaced either.
    await writeFile(path, text, { mode: 0o600, flag: isThere || force ? 'w' : 'wx' })
  } catch (error) {
    throw writeProblem('the file', dirname(path), error)
  }
}

/** A folder is not made: most often its name was mistyped. True when there is a file already. */
async function refuseUnusable(path: string): Promise<boolean> {
  const folder = dirname(path)
  const above = await kindOf(folder)
  if (above?.isFile()) throw invalid(`${folder} is a file, not a folder\nCheck the path.`)
  if (!above?.isDirectory())
    throw invalid(`there is no folder ${folder}\nCheck the path, or make the folder first: mkdir -p '${folder}'`)
  const found = await kindOf(path)
  if (found?.isDirectory()) throw invalid(`${path} is a folder\nName a file in it.`)
  // Devices such as /dev/stdout lose nothing.
  return found?.isFile() ?? false
}

async function askToReplace(path: string, signal: AbortSignal): Promise<void> {
  const instead = `${path} exists already and was left as it is\nName another file, or add --force to replace it.`
  if (!(await confirm({ message: `Replace ${path}?`, instead, signal })))
    throw conflict('cancelled; nothing was changed')
}

/** Undefined: there is nothing, or a folder on the way is closed to us, which the write itself tells. */
const kindOf = (path: string) => stat(path).catch(() => undefined)
