import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { invalid } from '@toolhaven/core/errors'
import { errnoOf } from '../files/errno.ts'

/**
 * Text of an ignore file, or undefined if it does not exist. A server may have written a file in a mounted folder, so links
 * are not followed there, and only regular files of a limited size are read.
 */
export async function readIgnoreFile(
  path: string,
  { followLinks }: { followLinks: boolean },
): Promise<string | undefined> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (followLinks ? 0 : constants.O_NOFOLLOW)
  try {
    await using file = await open(path, flags)
    const found = await file.stat()
    if (!found.isFile()) throw invalid(`${path} must be a file with the names to hide`)
    if (found.size > MAX_BYTES) throw invalid(`${path} is larger than ${MAX_BYTES / 1024} KiB; shorten it`)
    return await file.readFile('utf8')
  } catch (error) {
    const code = errnoOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'ELOOP') throw invalid(`${path} is a link; replace it with the file`, error)
    if (code === 'EACCES' || code === 'ENXIO')
      throw invalid(
        `${path} cannot be read, so Toolhaven does not know what to hide; make it readable or remove it`,
        error,
      )
    throw error
  }
}

const MAX_BYTES = 64 * 1024
