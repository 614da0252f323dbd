import { stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { conflict, invalid } from '@toolhaven/core/errors'
import type { Context } from '../context.ts'
import { confirm } from '../output/prompt.ts'
import { writeProblem } from '../output/write-problem.ts'

/** Readable only for its owner, because it contains environment variables. */
export async function writeExport(
  { cwd, signal }: Pick<Context, 'cwd' | 'signal'>,
  { file, force }: { file: string; force: boolean },
  text: string,
): Promise<void> {
  const path = resolve(cwd, file)
  const isThere = await refuseUnusable(path)
  if (isThere && !force) await askToReplace(path, signal)
  try {
    // `wx` also protects a file that another program made in the meantime.
    await writeFile(path, text, { mode: 0o600, flag: isThere || force ? 'w' : 'wx' })
  } catch (error) {
    throw writeProblem('the file', dirname(path), error)
  }
}

/** Does not create a folder, because its name is probably mistyped. Returns true if the file exists. */
async function refuseUnusable(path: string): Promise<boolean> {
  const folder = dirname(path)
  const above = await kindOf(folder)
  if (above?.isFile()) throw invalid(`${folder} is a file, not a folder\nCheck the path.`)
  if (!above?.isDirectory())
    throw invalid(`there is no folder ${folder}\nCheck the path, or make the folder first: mkdir -p '${folder}'`)
  const found = await kindOf(path)
  if (found?.isDirectory()) throw invalid(`${path} is a folder\nName a file in it.`)
  // Writing to a device such as /dev/stdout overwrites nothing.
  return found?.isFile() ?? false
}

async function askToReplace(path: string, signal: AbortSignal): Promise<void> {
  const instead = `${path} exists already and was left as it is\nName another file, or add --force to replace it.`
  if (!(await confirm({ message: `Replace ${path}?`, instead, signal })))
    throw conflict('cancelled; nothing was changed')
}

/** Undefined if nothing exists, or if a folder on the path is not accessible, which the write will report. */
const kindOf = (path: string) => stat(path).catch(() => undefined)
