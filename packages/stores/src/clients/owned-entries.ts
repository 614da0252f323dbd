import type { Logger } from '@toolhaven/core/ports/logger'
import { join } from 'node:path'
import * as z from 'zod'
import { newerFormat, readRecordFile, type RecordFormat, writeRecordFile } from '../files/record-file.ts'
import { setAside } from '../files/set-aside.ts'

const ownedEntry = z.strictObject({
  /** Workload. */
  name: z.string(),
  /** Key in the client's file. */
  key: z.string(),
  /** What we wrote last, and while a change is under way also what we are about to write: an entry with none of them is not ours. */
  urls: z.array(z.string()),
  type: z.string(),
})
export type OwnedEntry = z.infer<typeof ownedEntry>

/** How a file looked where we were the first to put something: what lets us leave it as we found it. */
const footprint = z.strictObject({
  /** The whole text of a file without an object in it; null when there was no file. */
  blank: z.string().nullable().optional(),
  madeServers: z.boolean().optional(),
  insideRoot: z.string().optional(),
  insideServers: z.string().optional(),
})
export type Footprint = z.infer<typeof footprint>

const ownedFile = z.strictObject({ path: z.string(), footprint, entries: z.array(ownedEntry) })
export type OwnedFile = z.infer<typeof ownedFile>

const FORMAT: RecordFormat<OwnedFile[]> = { schema: z.array(ownedFile), format: 1, migrations: {} }

/** Which entries in which files of other programs are ours. */
export interface OwnedEntries {
  read(path: string): Promise<OwnedFile>
  write(file: OwnedFile): Promise<void>
}

export function createOwnedEntries({ stateDir, logger }: { stateDir: string; logger: Logger }): OwnedEntries {
  const recordPath = join(stateDir, 'client-entries.json')

  async function readAll(): Promise<OwnedFile[]> {
    const reading = await readRecordFile(recordPath, FORMAT)
    if (reading.state === 'good') return reading.record
    if (reading.state === 'newer') throw newerFormat(recordPath, reading.format)
    if (reading.state === 'corrupt') {
      const aside = await setAside(recordPath, Date.now())
      logger.warn('set aside a damaged list of client entries', { path: aside, why: reading.why })
    }
    return []
  }

  return {
    async read(path) {
      const files = await readAll()
      return files.find((file) => file.path === path) ?? { path, footprint: {}, entries: [] }
    },
    async write(changed) {
      const others = (await readAll()).filter((file) => file.path !== changed.path)
      await writeRecordFile(recordPath, changed.entries.length === 0 ? others : [...others, changed], FORMAT)
    },
  }
}
