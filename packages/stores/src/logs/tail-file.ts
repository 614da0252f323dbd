import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { errnoOf } from '../files/errno.ts'

const BLOCK_BYTES = 64 * 1024
const NEWLINE = 0x0a

/** The last lines of a file, oldest first, read from its end; none if the file does not exist. */
export async function tailFile(path: string, lines: number): Promise<string[]> {
  let handle
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  }
  try {
    return await readBackwards(handle, lines)
  } finally {
    await handle.close()
  }
}

async function readBackwards(handle: FileHandle, lines: number): Promise<string[]> {
  const blocks: Buffer[] = []
  let position = (await handle.stat()).size
  let newlines = 0
  // One newline more than lines, because the first wanted line begins after a newline.
  while (position > 0 && newlines <= lines) {
    const size = Math.min(BLOCK_BYTES, position)
    position -= size
    const block = Buffer.alloc(size)
    const { bytesRead } = await handle.read(block, 0, size, position)
    const read = block.subarray(0, bytesRead)
    for (const byte of read) if (byte === NEWLINE) newlines += 1
    blocks.unshift(read)
  }
  // Blocks are joined before decoding, because a character may span two of them.
  const text = Buffer.concat(blocks).toString('utf8')
  const all = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
  return text === '' ? [] : all.slice(-lines)
}
