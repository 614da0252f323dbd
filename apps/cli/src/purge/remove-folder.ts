import { lstat } from 'node:fs/promises'
import { basename } from 'node:path'
import { removeTree } from '@toolhaven/runtimes/process/remove-tree'

/** Removes one of our own folders with all that is in it; false when it is not there. */
export async function removeFolder(folder: string): Promise<boolean> {
  // Whatever the variables say: a folder that is not named after us is not ours to remove.
  if (basename(folder) !== 'toolhaven') throw new Error(`${folder} is not a folder of Toolhaven`)
  if (!(await lstat(folder).catch(() => undefined))) return false
  await removeTree(folder)
  return true
}
