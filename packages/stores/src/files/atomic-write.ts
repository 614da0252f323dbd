import { randomBytes } from 'node:crypto'
import { constants, renameSync, type Stats } from 'node:fs'
import { lstat, open, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { invalid, isThvError, unavailable, type ThvError } from '@toolhaven/core/errors'
import { errnoOf } from './errno.ts'
import { refuseForeignOwner } from './private-folder.ts'

export interface AtomicWriteOptions {
  /** Mode of the new file (default: 0600). */
  mode?: number
  /** The file that is replaced keeps its mode. */
  keepMode?: boolean
  /** Replaces what a symbolic link points at, and leaves the link. Without it a link is refused. */
  followSymlink?: boolean
  /** Called synchronously right before the file is replaced. If it returns false, nothing is written. */
  mayReplace?: () => boolean
}

/**
 * Replaces a file as a whole. Whatever happens, readers and the next start see either the old content or the new, never a part.
 * Returns false if `mayReplace` refused.
 */
export async function atomicWrite(
  path: string,
  data: string | Uint8Array,
  options: AtomicWriteOptions = {},
): Promise<boolean> {
  const target = options.followSymlink === true ? await resolveLink(path) : path
  const folder = dirname(target)
  const temporary = join(folder, `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`)
  let made = false
  try {
    const old = await checkTarget(target)
    await checkFolder(folder)
    const mode = (options.keepMode === true && old !== undefined ? old.mode & 0o777 : options.mode) ?? 0o600
    const handle = await open(
      temporary,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o600,
    )
    made = true
    try {
      await handle.writeFile(data)
      if (mode !== 0o600) await handle.chmod(mode)
      await handle.sync()
    } finally {
      await handle.close()
    }
    if (options.mayReplace?.() === false) {
      await rm(temporary, { force: true })
      return false
    }
    // Synchronous, so that other programs have hardly any time to write in between.
    renameSync(temporary, target)
    made = false
    await syncFolder(folder)
    return true
  } catch (error) {
    if (made) await rm(temporary, { force: true })
    throw writeFault(error, folder)
  }
}

/** Leftovers of an interrupted write: `.NAME.HEX.tmp`. */
export const TEMPORARY_FILE = /^\..+\.[0-9a-f]{12}\.tmp$/

/** Makes a rename, link or removal in a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } catch (error) {
    // Some network and FUSE file systems cannot sync a folder. Nothing more can be done there.
    if (!['EINVAL', 'ENOTSUP', 'EBADF'].includes(errnoOf(error) ?? '')) throw error
  } finally {
    await handle.close()
  }
}

/** A failed write as an error that a user can act on. */
export function writeFault(error: unknown, folder: string): ThvError {
  if (isThvError(error)) return error
  const code = errnoOf(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return unavailable(
      `no space is left for ${folder}: free some space and try again; what was there before is unchanged`,
      error,
    )
  }
  if (code === 'ENOENT') return unavailable(`the folder ${folder} does not exist`, error)
  return unavailable(`cannot write in ${folder} (${code ?? 'unknown fault'}): check that it is writable`, error)
}

async function resolveLink(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw writeFault(error, dirname(path))
    const link = await lstatIfThere(path)
    if (link !== undefined)
      throw invalid(`${path} is a symbolic link to nothing: remove it or create what it points at`, error)
    return path
  }
}

async function checkTarget(target: string): Promise<Stats | undefined> {
  const found = await lstatIfThere(target)
  if (found === undefined) return undefined
  if (found.isSymbolicLink())
    throw invalid(`${target} is a symbolic link, which is not followed here: put the file itself there`)
  if (!found.isFile()) throw invalid(`${target} is in the way: it is not an ordinary file`)
  refuseForeignOwner(found.uid, target)
  return found
}

async function checkFolder(folder: string): Promise<void> {
  const found = await stat(folder)
  // Root can change everything anyway, so a folder that root owns is as safe as our own.
  if (found.uid !== 0) refuseForeignOwner(found.uid, folder)
  if ((found.mode & 0o002) !== 0) {
    throw invalid(`${folder} can be written by other users: look through it, then run: chmod o-w '${folder}'`)
  }
}

async function lstatIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}
