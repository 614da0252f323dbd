import { lstat, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { openFolders } from '@toolhaven/runtimes/process/remove-tree'

/** Removes one of our own folders with all that is in it; false when it is not there. */
export async function removeFolder(folder: string): Promise<boolean> {
  // Whatever the variables say: a folder that is not named after us is not ours to remove.
  if (basename(folder) !== 'toolhaven') throw new Error(`${folder} is not a folder of Toolhaven`)
  const found = await lstat(folder).catch(() => undefined)
  if (!found) return false
  // Packages may bring folders that not even their owner may write to; Go's module cache has only such.
  if (found.isDirectory()) await openFolders(folder)
  await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  return true
}
