import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { TEMPORARY_FILE } from './atomic-write.ts'

/** No write takes this long, so older files are leftovers. */
const OLD_MS = 60_000

/** Removes the leftovers of interrupted writes. The caller owns the state folder; other daemons may share the other folders. */
export async function removeLeftovers(stateDir: string, sharedDirs: readonly string[]): Promise<void> {
  const below = await readdir(stateDir, { withFileTypes: true })
  const folders = below.filter((entry) => entry.isDirectory()).map(({ name }) => join(stateDir, name))
  for (const path of await temporaryFiles([stateDir, ...folders])) await rm(path, { force: true })
  for (const path of await temporaryFiles(sharedDirs)) {
    const found = await stat(path).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > OLD_MS) await rm(path, { force: true })
  }
}

async function temporaryFiles(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    folders.map(async (folder) => {
      // A folder that is missing or unreadable has nothing to tidy. The code that needs it reports the fault.
      const names = await readdir(folder).catch((): string[] => [])
      return names.filter((name) => TEMPORARY_FILE.test(name)).map((name) => join(folder, name))
    }),
  )
  return found.flat()
}
