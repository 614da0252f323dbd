import { lstat } from 'node:fs/promises'
import { basename } from 'node:path'
import { removeTree } from '@toolhaven/runtimes/process/remove-tree'

/** Removes one of Toolhaven's folders with its contents; false if it does not exist. */
export async function removeFolder(folder: string): Promise<boolean> {
  // Variables can point anywhere, so only a folder named after Toolhaven is removed.
  if (basename(folder) !== 'toolhaven') throw new Error(`${folder} is not a Toolhaven folder`)
  if (!(await lstat(folder).catch(() => undefined))) return false
  await removeTree(folder)
  return true
}
