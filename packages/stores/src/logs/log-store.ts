import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describeError } from '@toolhaven/core/errors'
import type { Logger } from '@toolhaven/core/ports/logger'
import type { LogStore } from '@toolhaven/core/ports/stores'
import { rotated } from '../files/append-rotating.ts'
import { ensurePrivateFolder } from '../files/private-folder.ts'
import { createLimitedLanes } from './limited-lanes.ts'
import { createLineFeed } from './line-feed.ts'
import { createLogWriter } from './log-writer.ts'
import { printable } from '@toolhaven/contract/visible-text'
import { readLines, storedLine, storedStart } from './stored-line.ts'
import { tailFile } from './tail-file.ts'

export interface LogStoreOptions {
  dir: string
  logger: Logger
  maxBytes?: number
  /** Total number of files, including the present one. */
  files?: number
  maxLineLength?: number
  /** Milliseconds since the epoch (default: from the clock of this machine). */
  now?: () => number
}

export interface FileLogStore extends LogStore, AsyncDisposable {}

/** Limits how many files are open at a time. None stays open between writes. */
const MAX_OPEN = 8

/**
 * Output of workloads in DIR/NAME.log. Each `append` takes whole lines (the last newline may be missing). The caller joins
 * the pieces of the output, because it also masks secrets, which may span two pieces. Disposing writes the waiting lines.
 */
export function createLogStore(options: LogStoreOptions): FileLogStore {
  const { dir, logger, maxBytes = 10 * 1024 * 1024, files = 3, maxLineLength = 16 * 1024, now = Date.now } = options
  const fileOf = (stem: string) => join(dir, `${stem}.log`)
  const run = createLimitedLanes(MAX_OPEN)
  const feed = createLineFeed()
  const time = () => new Date(now()).toISOString()
  const prepare = () => ensurePrivateFolder(dir)
  const noticeOf = (dropped: number) =>
    storedLine({
      time: time(),
      stream: 'stderr',
      text: `[toolhaven: ${dropped} lines left out, they came faster than the disk]`,
    })
  const writer = createLogWriter({ fileOf, prepare, noticeOf, run, logger, maxBytes, files })

  /** A log that cannot be read or removed causes a log line, never a failed request. */
  async function attempt<R>(stem: string, work: () => Promise<R>, otherwise: R): Promise<R> {
    try {
      return await run(stem, work)
    } catch (error) {
      logger.warn('output of a workload cannot be read or removed', { workload: stem, why: describeError(error) })
      return otherwise
    }
  }

  const read: LogStore['read'] = async (name, query) => {
    const stem = stemOf(name)
    if (stem === undefined || query.lines < 1) return []
    await writer.flush(stem)
    return attempt(stem, () => readLines((count) => tailOver(fileOf(stem), files, count), query), [])
  }

  return {
    append(name, stream, text) {
      const stem = stemOf(name)
      if (stem === undefined || text === '') return
      const at = time()
      const lines = toLines(text, maxLineLength).map((line) => ({ time: at, stream, text: line }))
      feed.publish(stem, lines)
      writer.add(stem, lines.map(storedLine))
    },
    begin(name) {
      const stem = stemOf(name)
      if (stem !== undefined) writer.add(stem, [storedStart(time())])
    },
    tail: async (name, lines) => (await read(name, { lines })).map(({ text }) => text),
    read,
    follow: (name, signal) => feed.follow(stemOf(name) ?? '', signal),
    async remove(name) {
      const stem = stemOf(name)
      if (stem === undefined) return
      const removeFiles = async () => {
        writer.forget(stem)
        for (let index = 0; index < files; index += 1) await rm(rotated(fileOf(stem), index), { force: true })
      }
      await attempt(stem, removeFiles, undefined)
    },
    async names() {
      await writer.flushAll()
      return stemsOf(await readdir(dir).catch((): string[] => []))
    },
    [Symbol.asyncDispose]: () => writer.flushAll(),
  }
}

/** The file name for a workload's name, in any case. Undefined if it is not a workload's name. */
function stemOf(name: string): string | undefined {
  const stem = name.toLowerCase()
  return /^[a-z0-9][a-z0-9._-]{0,99}$/.test(stem) && !stem.includes('..') ? stem : undefined
}

/** The stems of Toolhaven's log files, including rotated ones. */
function stemsOf(files: readonly string[]): string[] {
  const stems = files.map((file) => /^(.+)\.log(\.\d+)?$/.exec(file)?.[1]).filter((stem) => stem !== undefined)
  return [...new Set(stems.filter((stem) => stemOf(stem) === stem))].toSorted()
}

function toLines(text: string, maxLength: number): string[] {
  const whole = text.endsWith('\n') ? text.slice(0, -1) : text
  return whole.split('\n').map((raw) => {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
    if (line.length <= maxLength) return printable(line)
    return `${printable(line.slice(0, maxLength))} [toolhaven: ${line.length - maxLength} characters left out]`
  })
}

async function tailOver(file: string, files: number, lines: number): Promise<string[]> {
  let found: string[] = []
  for (let index = 0; index < files && found.length < lines; index += 1) {
    found = [...(await tailFile(rotated(file, index), lines - found.length)), ...found]
  }
  return found
}
