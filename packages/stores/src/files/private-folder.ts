import { chmod, lstat, mkdir, stat } from 'node:fs/promises'
import { invalid, unavailable } from '@toolhaven/core/errors'
import { errnoOf } from './errno.ts'

/** Makes sure that a folder exists, belongs to this user, and is closed to everybody else (0700). */
export async function ensurePrivateFolder(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 })
  } catch (error) {
    const code = errnoOf(error)
    if (code === 'EEXIST' || code === 'ENOTDIR') throw invalid(`${dir} is in the way: it must be a folder`, error)
    // On a read-only disk, Node says ENOENT, as if something were missing.
    const why = code === undefined || code === 'ENOENT' ? '' : ` (${code})`
    throw unavailable(
      `cannot create the folder ${dir}${why}: check the rights of the folder above it, and that it is not on a read-only disk, or set HOME, or XDG_STATE_HOME, XDG_DATA_HOME and XDG_CONFIG_HOME, to other folders`,
      error,
    )
  }
  const link = await lstat(dir)
  if (link.isSymbolicLink()) refuseForeignOwner(link.uid, dir)
  const found = await stat(dir)
  refuseForeignOwner(found.uid, dir)
  if ((found.mode & 0o022) !== 0) {
    throw invalid(`${dir} can be written by other users: look through it, then run: chmod 700 '${dir}'`)
  }
  if ((found.mode & 0o077) !== 0) await chmod(dir, 0o700)
}

export function refuseForeignOwner(uid: number, path: string): void {
  const own = process.getuid?.()
  if (own === undefined || uid === own) return
  throw invalid(`${path} belongs to another user (id ${uid}, not ${own}): run as that user, or choose another folder`)
}
