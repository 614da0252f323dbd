import { constants, existsSync, readFileSync, rmSync } from 'node:fs'
import { type FileHandle, open, readdir, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { invalid, isThvError, unavailable } from '@toolhaven/core/errors'
import { atomicWrite, TEMPORARY_FILE } from '../files/atomic-write.ts'
import { errnoOf } from '../files/errno.ts'

/** A configuration file of another program, as found. */
export interface ClientFile {
  path: string
  /** The text without the byte order mark, or null if there is no file. */
  text: string | null
  hasByteOrderMark: boolean
}

const MAX_BYTES = 64 * 1024 * 1024
const BYTE_ORDER_MARK = '\ufeff'

export async function readClientFile(path: string): Promise<ClientFile> {
  const bytes = await readBytes(path)
  if (bytes === undefined) return { path, text: null, hasByteOrderMark: false }
  const text = decode(bytes, path)
  const hasByteOrderMark = text.startsWith(BYTE_ORDER_MARK)
  return { path, hasByteOrderMark, text: hasByteOrderMark ? text.slice(1) : text }
}

export interface ReplaceOptions {
  /** Nothing of ours was in the file before. */
  isFirst: boolean
  /** If false, leaves no copies beside the file, because the removed text may contain a key. */
  keepCopies?: boolean
}

/** How long an editor that had the file open may take to write to it. */
const LATE_WRITE_MS = 50
/** How long a file that an editor has emptied may stay empty. */
export const EMPTY_MS = 600

/**
 * Replaces the file as a whole; its mode stays, and a link stays a link to the file that is replaced. Beside it lie
 * `FILE.toolhaven-original` (before our first entry) and `FILE.toolhaven-backup` (before our latest change). False when
 * another program changed the file since it was read; what that program wrote is then in the file.
 */
export async function replaceClientFile(file: ClientFile, text: string, options: ReplaceOptions): Promise<boolean> {
  const mark = file.hasByteOrderMark ? BYTE_ORDER_MARK : ''
  const write = (data: string | Buffer, mayReplace: () => boolean) =>
    atomicWrite(file.path, data, { keepMode: true, followSymlink: true, mayReplace })
  if (file.text === null) return write(mark + text, () => !existsSync(file.path))
  await refuseReadOnly(file.path)
  const before = Buffer.from(mark + file.text)
  // An empty file needs no copy, and an editor may be writing it right now.
  const keepCopies = before.length > 0 && (options.keepCopies ?? true)
  if (keepCopies && options.isFirst) await atomicWrite(copiesOf(file.path).original, before)
  if (keepCopies) await atomicWrite(copiesOf(file.path).backup, before)
  // Some editors write into the file instead of replacing it. What they write to the old one can be read here.
  const old = await openFile(file.path)
  if (old === undefined) return false
  try {
    if (!(await write(mark + text, () => isStill(file.path, before)))) return false
    await pause(LATE_WRITE_MS)
    let late = await readFrom(old)
    if (late.equals(before)) return true
    // The editor may still be writing. A file that it has emptied is about to be filled.
    const deadline = Date.now() + EMPTY_MS
    for (let last: Buffer = before; !late.equals(last) || isEmptied(late, deadline); late = await readFrom(old)) {
      last = late
      await pause(LATE_WRITE_MS)
    }
    if (late.length > 0) await write(late, () => isStill(file.path, Buffer.from(mark + text)))
    return false
  } finally {
    await old.close()
  }
}

const isEmptied = (content: Buffer, deadline: number) => content.length === 0 && Date.now() < deadline

function isStill(path: string, content: Buffer): boolean {
  try {
    return readFileSync(path).equals(content)
  } catch {
    // It was removed or became inaccessible, which counts as a change.
    return false
  }
}

async function readFrom(handle: FileHandle): Promise<Buffer> {
  const { size } = await handle.stat()
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, 0)
  return buffer.subarray(0, bytesRead)
}

export function copiesOf(path: string): { original: string; backup: string } {
  return { original: `${path}.toolhaven-original`, backup: `${path}.toolhaven-backup` }
}

/** False when another program changed the file since it was read. */
export function removeClientFile({ path, text, hasByteOrderMark }: ClientFile): boolean {
  const mark = hasByteOrderMark ? BYTE_ORDER_MARK : ''
  if (!isStill(path, Buffer.from(mark + (text ?? '')))) return false
  rmSync(path, { force: true })
  return true
}

/** Removes what our interrupted writes left beside the file, and beside the file behind a link. */
export async function sweepLeftovers(path: string): Promise<void> {
  const target = await realpath(path).catch(() => path) // no file yet: only its own folder can have leftovers
  for (const file of new Set([path, target])) {
    const names = await readdir(dirname(file)).catch(() => []) // the next step reports a folder that cannot be read
    const isLeftover = (name: string) => TEMPORARY_FILE.test(name) && name.startsWith(`.${basename(file)}.`)
    for (const name of names.filter(isLeftover)) await rm(join(dirname(file), name), { force: true })
  }
}

async function readBytes(path: string): Promise<Buffer | undefined> {
  const handle = await openFile(path)
  if (handle === undefined) return undefined
  try {
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** Undefined when there is no file. */
async function openFile(path: string): Promise<FileHandle | undefined> {
  let handle
  try {
    // O_NONBLOCK, so that opening a pipe in this place does not hang.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const found = await handle.stat()
    if (!found.isFile()) throw invalid(`${path} is not an ordinary file and was left as it is`)
    if (found.size > MAX_BYTES) throw invalid(`${path} is larger than ${MAX_BYTES} bytes and was left as it is`)
    return handle
  } catch (error) {
    await handle?.close()
    if (isThvError(error)) throw error
    const code = errnoOf(error)
    if (code === 'ENOENT') return undefined
    throw unavailable(`cannot read ${path} (${code ?? 'unknown fault'}): check its rights`, error)
  }
}

function decode(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw invalid(`${path} was left as it is, because it is not UTF-8 text: save it as UTF-8 and try again`, error)
  }
}

/** A rename would succeed anyway, but a user who removes the write permission means it. */
async function refuseReadOnly(path: string): Promise<void> {
  const found = await stat(path)
  if ((found.mode & 0o200) === 0)
    throw invalid(`${path} is read-only and was left as it is: run chmod u+w '${path}' to let entries be kept in it`)
}
