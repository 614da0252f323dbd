import { readFile, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Journal, JournalEntry } from '@toolhaven/core/ports/stores'
import * as z from 'zod'
import { appendRotating, rotated } from './append-rotating.ts'
import { writeFault } from './atomic-write.ts'
import { errnoOf } from './errno.ts'
import { ensurePrivateFolder } from './private-folder.ts'

export interface JournalOptions {
  file: string
  maxBytes?: number
  /** Total number of files, including the present one. */
  files?: number
  now?: () => number
}

export interface ReadableJournal extends Journal {
  /** The newest entries, oldest first, without lines that a crash truncated. */
  read(limit: number): Promise<JournalLine[]>
}

const FORMAT = 1

const journalLine = z.object({
  format: z.literal(FORMAT),
  time: z.string(),
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  detail: z.record(z.string(), z.unknown()).exactOptional(),
})
export type JournalLine = z.infer<typeof journalLine>

/** Every change, one JSON line each, in the order asked for. Entries that come while one is written share the next sync. */
export function createJournal(options: JournalOptions): ReadableJournal {
  const { file, maxBytes = 8 * 1024 * 1024, files = 3, now = Date.now } = options
  let waiting: { line: string; done: PromiseWithResolvers<void> }[] = []
  let writing: Promise<void> | undefined

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        await writeLines(batch.map((entry) => entry.line).join(''))
        for (const entry of batch) entry.done.resolve()
      } catch (error) {
        for (const entry of batch) entry.done.reject(writeFault(error, dirname(file)))
      }
    }
    writing = undefined
  }

  async function writeLines(lines: string): Promise<void> {
    await ensurePrivateFolder(dirname(file))
    await appendRotating({ file, maxBytes, files, write: writeWhole }, lines)
  }

  return {
    async append(entry) {
      const done = Promise.withResolvers<void>()
      waiting.push({ line: encode(entry, now()), done })
      writing ??= drain()
      await done.promise
    },
    async read(limit) {
      let lines: JournalLine[] = []
      for (let index = 0; index < files && lines.length < limit; index += 1) {
        lines = [...(await readLines(rotated(file, index))), ...lines]
      }
      return lines.slice(-limit)
    },
  }
}

function encode(entry: JournalEntry, now: number): string {
  const { actor, action, target, detail } = entry
  return `${JSON.stringify({ format: FORMAT, time: new Date(now).toISOString(), actor, action, target, detail })}\n`
}

async function writeWhole(handle: FileHandle, lines: string, size: number): Promise<void> {
  const last = Buffer.alloc(1)
  if (size > 0) await handle.read(last, 0, 1, size - 1)
  // A truncated line must not merge with the next one.
  const torn = size > 0 && last[0] !== 0x0a
  await handle.writeFile(torn ? `\n${lines}` : lines)
  await handle.datasync()
}

async function readLines(file: string): Promise<JournalLine[]> {
  let text
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  }
  return text.split('\n').flatMap((line) => {
    try {
      const parsed = journalLine.safeParse(JSON.parse(line))
      return parsed.success ? [parsed.data] : []
    } catch {
      return [] // a truncated line: its change is in the state files anyway
    }
  })
}
