import { describeError } from '@toolhaven/core/errors'
import type { Logger } from '@toolhaven/core/ports/logger'
import { appendRotating } from '../files/append-rotating.ts'
import type { SerialQueue } from '../files/serial-queue.ts'

export interface LogWriterOptions {
  fileOf: (stem: string) => string
  /** Creates the folder. Called before each write, because the folder may have been removed. */
  prepare: () => Promise<void>
  /** The line that replaces dropped lines. */
  noticeOf: (dropped: number) => string
  run: SerialQueue
  logger: Logger
  maxBytes: number
  files: number
}

/** Buffers lines for a moment and writes them together. Never throws. */
export interface LogWriter {
  add(stem: string, lines: readonly string[]): void
  /** Resolves when every earlier line is in the file, or is known to be lost. */
  flush(stem: string): Promise<void>
  flushAll(): Promise<void>
  /** Drops the waiting lines. */
  forget(stem: string): void
}

/** How long output may wait in memory, to be written together. */
const FLUSH_MS = 100
const FLUSH_BYTES = 64 * 1024
/** The limit of lines that wait for a slow or full disk. Further lines are dropped and counted. */
const MAX_WAITING_BYTES = 1024 * 1024

interface Waiting {
  lines: string[]
  bytes: number
  dropped: number
  flushing: boolean
}

export function createLogWriter(options: LogWriterOptions): LogWriter {
  const waiting = new Map<string, Waiting>()
  const failing = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  async function flushAll(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    await Promise.all([...waiting.keys()].map(flush))
  }

  function flush(stem: string): Promise<void> {
    return options.run(stem, async () => {
      const batch = waiting.get(stem)
      if (batch === undefined) return
      waiting.delete(stem)
      try {
        await options.prepare()
        await writeBatch(options, stem, batch)
        failing.delete(stem)
      } catch (error) {
        const fields = { workload: stem, why: describeError(error) }
        // Logged once per problem, because a full disk must not fill the daemon's own log.
        if (!failing.has(stem)) options.logger.warn('output of a workload cannot be written', fields)
        failing.add(stem)
      }
    })
  }

  return {
    add(stem, lines) {
      const batch = waiting.get(stem) ?? { lines: [], bytes: 0, dropped: 0, flushing: false }
      waiting.set(stem, batch)
      addLines(batch, lines)
      timer ??= setTimeout(() => void flushAll(), FLUSH_MS).unref()
      if (batch.bytes <= FLUSH_BYTES || batch.flushing) return
      batch.flushing = true
      void flush(stem)
    },
    flush,
    flushAll,
    forget(stem) {
      waiting.delete(stem)
      failing.delete(stem)
    },
  }
}

function addLines(batch: Waiting, lines: readonly string[]): void {
  for (const line of lines) {
    const bytes = Buffer.byteLength(line) + 1
    if (batch.bytes + bytes > MAX_WAITING_BYTES) {
      batch.dropped += 1
      continue
    }
    batch.lines.push(line)
    batch.bytes += bytes
  }
}

async function writeBatch(options: LogWriterOptions, stem: string, batch: Waiting): Promise<void> {
  const { dropped } = batch
  const notice = dropped === 0 ? [] : [options.noticeOf(dropped)]
  const text = `${[...batch.lines, ...notice].join('\n')}\n`
  const { maxBytes, files } = options
  await appendRotating({ file: options.fileOf(stem), maxBytes, files }, text)
}
