import { constants } from 'node:fs'
import { open, rename, type FileHandle } from 'node:fs/promises'
import { errnoOf } from './errno.ts'
import { refuseForeignOwner } from './private-folder.ts'

export interface RotatingFile {
  file: string
  maxBytes: number
  /** Total number of files, including the present one. */
  files: number
  /** Default: `openForAppend`. */
  open?: (file: string) => Promise<FileHandle>
  /** Writes the text at the end of a file of this size. Default: unchanged. */
  write?: (handle: FileHandle, text: string, size: number) => Promise<void>
}

/** Appends all of the text or nothing; a file that would grow too large is rotated first. */
export async function appendRotating(target: RotatingFile, text: string): Promise<void> {
  const { file, maxBytes, files, open: openFile = openForAppend, write = writeText } = target
  let handle = await openFile(file)
  try {
    let { size } = await handle.stat()
    if (size > 0 && size + Buffer.byteLength(text) > maxBytes) {
      await handle.close()
      await rotate(file, files)
      handle = await openFile(file)
      size = 0
    }
    try {
      await write(handle, text, size)
    } catch (error) {
      // A partial line would merge with the next one.
      await handle.truncate(size)
      throw error
    }
  } finally {
    await handle.close()
  }
}

const writeText = (handle: FileHandle, text: string) => handle.writeFile(text)

export async function openForAppend(file: string): Promise<FileHandle> {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(file, flags, 0o600)
  try {
    refuseForeignOwner((await handle.stat()).uid, file)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Shifts `file` to `file.1` and so on; the oldest of `files` is overwritten. */
async function rotate(file: string, files: number): Promise<void> {
  for (let index = files - 2; index >= 0; index -= 1) {
    try {
      await rename(rotated(file, index), rotated(file, index + 1))
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error
    }
  }
}

export function rotated(file: string, index: number): string {
  return index === 0 ? file : `${file}.${index}`
}
