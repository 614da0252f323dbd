import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/** The first executable file with this name in the search path. Relative entries of the path are ignored. */
export async function findProgram(name: string, searchPath: string | undefined): Promise<string | undefined> {
  for (const folder of (searchPath ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue
    const candidate = join(folder, name)
    if (await isExecutable(candidate)) return candidate
  }
  return undefined
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    // Missing, or not executable for this user: the caller tries the next folder.
    return false
  }
}
