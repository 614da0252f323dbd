import { chmod, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Removes a folder whatever is in it. Packages and servers can take the rights away that are needed to empty one. Nothing may run in it any more. */
export async function removeTree(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(async () => {
    await openFolders(folder)
    await rm(folder, { recursive: true, force: true })
  })
}

/** Makes all folders in it ones that can be emptied. Entries say themselves whether they are folders, so no link is followed. */
export async function openFolders(folder: string): Promise<void> {
  await chmod(folder, 0o700)
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries) if (entry.isDirectory()) await openFolders(join(folder, entry.name))
}
