import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { invalid, unavailable } from '@toolhaven/core/errors'
import { errnoOf } from './errno.ts'
import { refuseForeignOwner } from './private-folder.ts'

export interface ReadOptions {
  maxBytes?: number
  /** Files that users keep in their own repository and link to. */
  followSymlink?: boolean
}

const DEFAULT_MAX_BYTES = 8 * 1024 * 1024

/**
 * Text of one of Toolhaven's files, or undefined if it does not exist. Refuses links, other users' files and files that others
 * may write. Reads synchronously: the files are small and local, and every command reads one, so it avoids the thread pool.
 */
export async function readPrivateFile(path: string, options: ReadOptions = {}): Promise<string | undefined> {
  const noFollow = options.followSymlink === true ? 0 : constants.O_NOFOLLOW
  let file
  try {
    // O_NONBLOCK: opening a pipe in its place must not hang.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | noFollow)
  } catch (error) {
    const code = errnoOf(error)
    if (code === 'ENOENT') return undefined
    if (code === 'ELOOP')
      throw invalid(`${path} is a symbolic link, which is not followed here: put the file itself there`, error)
    throw unavailable(
      `cannot read ${path} (${code ?? 'unknown fault'}): check it, and that HOME is your home folder`,
      error,
    )
  }
  try {
    const found = fstatSync(file)
    if (!found.isFile()) throw invalid(`${path} is not an ordinary file`)
    refuseForeignOwner(found.uid, path)
    if ((found.mode & 0o022) !== 0) {
      throw invalid(`${path} can be written by other users: look through it, then run: chmod 600 '${path}'`)
    }
    const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES
    if (found.size > maxBytes)
      throw invalid(`${path} is larger than ${maxBytes} bytes, which is too large for a file of Toolhaven`)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}
