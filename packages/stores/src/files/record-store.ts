import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describeError, invalid } from '@toolhaven/core/errors'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { RecordStore } from '@toolhaven/core/ports/stores'
import { syncFolder, TEMPORARY_FILE, atomicWrite, writeFault } from './atomic-write.ts'
import { ensurePrivateFolder } from './private-folder.ts'
import { encodeRecord, newerFormat, readRecordFile, type RecordFormat } from './record-file.ts'
import { createSerialQueue } from './serial-queue.ts'
import { setAside } from './set-aside.ts'

export interface RecordStoreOptions<T> extends RecordFormat<T> {
  dir: string
  nameOf: (record: T) => string
  logger: Logger
  now?: () => number
  /** A damaged file stays until it is saved again. If it were moved aside, the next start would assume that it never existed. */
  keepsDamaged?: boolean
}

const PARALLEL_READS = 16

/**
 * One JSON file per record. A damaged file is moved aside. A file of a newer version is not touched, and protected against
 * overwriting. Either way, the other records load.
 */
export function createRecordStore<T>(options: RecordStoreOptions<T>): RecordStore<T> {
  const { dir } = options
  const inOrder = createSerialQueue()
  /** Files we may not touch, with the error that says why. */
  const guarded = new Map<string, Error>()
  const unreadable = new Map<string, string>()

  function change(file: string, work: () => Promise<void>): Promise<void> {
    return inOrder(file, async () => {
      const why = guarded.get(file)
      if (why !== undefined) throw why
      await ensurePrivateFolder(dir)
      await work()
    })
  }

  return {
    async load() {
      guarded.clear()
      unreadable.clear()
      return loadAll(options, guarded, unreadable)
    },
    unreadable: () => unreadable,
    async save(record) {
      const file = fileOf(options.nameOf(record))
      // Encoded now, so that later changes by the caller belong to a later save.
      const text = encodeRecord(record, options)
      await change(file, async () => void (await atomicWrite(join(dir, file), text)))
    },
    async remove(name) {
      const file = fileOf(name)
      await change(file, async () => {
        try {
          await rm(join(dir, file), { force: true })
          await syncFolder(dir)
        } catch (error) {
          throw writeFault(error, dir)
        }
      })
    },
  }
}

async function loadAll<T>(
  options: RecordStoreOptions<T>,
  guarded: Map<string, Error>,
  unreadable: Map<string, string>,
): Promise<T[]> {
  const { dir } = options
  await ensurePrivateFolder(dir)
  const files = (await readdir(dir)).toSorted()
  const leftovers = files.filter((file) => TEMPORARY_FILE.test(file))
  await Promise.all(leftovers.map((file) => rm(join(dir, file), { force: true })))
  const names = files.filter((file) => !file.startsWith('.') && file.endsWith('.json'))
  const records: T[] = []
  for (let at = 0; at < names.length; at += PARALLEL_READS) {
    const some = names.slice(at, at + PARALLEL_READS)
    for (const found of await Promise.all(some.map((file) => loadOne(options, guarded, unreadable, file))))
      records.push(...found)
  }
  return records
}

async function loadOne<T>(
  options: RecordStoreOptions<T>,
  guarded: Map<string, Error>,
  unreadable: Map<string, string>,
  file: string,
): Promise<T[]> {
  const { dir, logger, nameOf, now = Date.now } = options
  const path = join(dir, file)
  try {
    const reading = await readRecordFile(path, options)
    if (reading.state === 'absent') return []
    if (reading.state === 'newer') throw newerFormat(path, reading.format)
    if (reading.state === 'good' && fileOf(nameOf(reading.record)) === file) return [reading.record]
    const why = reading.state === 'corrupt' ? reading.why : 'the record in it has another name'
    unreadable.set(file.slice(0, -'.json'.length), why)
    if (options.keepsDamaged === true) {
      logger.error('a damaged state file is not used', { file: path, why })
      return []
    }
    const aside = await setAside(path, now())
    logger.error('a damaged state file was set aside', { file: path, aside, why })
  } catch (error) {
    unreadable.set(file.slice(0, -'.json'.length), describeError(error))
    guarded.set(file, error instanceof Error ? error : new Error(String(error)))
    logger.error('a state file cannot be used and is left as it is', { file: path, why: describeError(error) })
  }
  return []
}

/** Names are unique without regard to case, so that they are the same files on every file system. */
function fileOf(name: string): string {
  const stem = name.toLowerCase()
  if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(stem) || stem.includes('..')) {
    throw invalid('the name cannot be used for a file: use letters, digits, ".", "_" and "-"')
  }
  return `${stem}.json`
}
