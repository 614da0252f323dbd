import type { FileHandle } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { describeError, invalid } from '@toolhaven/core/errors'
import type { Logger } from '@toolhaven/core/ports/logger'
import { appendRotating, openForAppend } from '../files/append-rotating.ts'
import { ensurePrivateFolder } from '../files/private-folder.ts'

export interface AuditLogsOptions {
  /** The folder for files that are given without a path. */
  dir: string
  /** Receives whole lines from workloads without a log file. */
  writeOut: (lines: string) => void
  logger: Logger
  maxBytes?: number
  files?: number
}

/** Where records of calls go. */
export interface AuditLogFile {
  /** Never throws or blocks. */
  write(line: string): void
  /** Resolves when every accepted record is written or lost. */
  close(): Promise<void>
}

export interface AuditLogs {
  /** Throws if records could not be stored there. */
  open(file: string | undefined): Promise<AuditLogFile>
}

/** Records are collected for this long, so that many calls cost one write. */
const FLUSH_MS = 100
/** How many records may wait for a slow or full disk. Further records are only counted. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024

/** Workloads may share a file, so each file has one writer while the daemon runs. */
export function createAuditLogs(options: AuditLogsOptions): AuditLogs {
  const { dir, writeOut, maxBytes = 10 * 1024 * 1024, files = 5 } = options
  const writers = new Map<string, AuditLogFile>()
  return {
    async open(file) {
      if (file === undefined) return { write: writeOut, close: () => Promise.resolve() }
      const path = isAbsolute(file) ? file : join(dir, file)
      if (!isAbsolute(file)) await ensurePrivateFolder(dir)
      await tryFile(path)
      const writer = writers.get(path) ?? createWriter({ ...options, path, maxBytes, files })
      writers.set(path, writer)
      return writer
    },
  }
}

async function tryFile(path: string): Promise<void> {
  try {
    await (await openPrivate(path)).close()
  } catch (error) {
    throw invalid(`audit_config: the log file cannot be used: ${describeError(error)}; choose another log_file`, error)
  }
}

/** Requires a regular file of this user without hard links, so that records cannot end up in another file. */
async function openPrivate(path: string): Promise<FileHandle> {
  const handle = await openForAppend(path)
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw invalid('it is not a regular file')
    if (found.nlink !== 1) throw invalid('it has a hard link')
    if ((found.mode & 0o077) !== 0) await handle.chmod(0o600)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

interface WriterOptions {
  path: string
  logger: Logger
  maxBytes: number
  files: number
}

function createWriter(options: WriterOptions): AuditLogFile {
  const { logger, path, maxBytes, files } = options
  const target = { file: path, maxBytes, files, open: openPrivate }
  let waiting: string[] = []
  let bytes = 0
  let lost = 0
  let isFailing = false
  let timer: NodeJS.Timeout | undefined
  let last = Promise.resolve()

  const flush = async () => {
    const lines = waiting
    const dropped = lost
    waiting = []
    bytes = 0
    lost = 0
    if (lines.length === 0 && dropped === 0) return
    try {
      await appendRotating(target, [...lines, ...(dropped > 0 ? [lostRecord(dropped)] : [])].join(''))
      isFailing = false
    } catch (error) {
      lost += lines.length + dropped
      if (!isFailing) logger.error('audit records are being lost: the file cannot be written', fields(error))
      isFailing = true
    }
  }
  const fields = (error: unknown) => ({ file: path, why: describeError(error) })
  const flushInTurn = () => {
    clearTimeout(timer)
    timer = undefined
    last = last.then(flush)
    return last
  }
  return {
    write(line) {
      const size = Buffer.byteLength(line)
      if (bytes + size > MAX_WAITING_BYTES) {
        lost += 1
        return
      }
      waiting.push(line)
      bytes += size
      timer ??= setTimeout(() => void flushInTurn(), FLUSH_MS).unref()
    },
    close: flushInTurn,
  }
}

/** Records a gap in the audit file itself, not only in the daemon's log. */
function lostRecord(count: number): string {
  const record = { time: new Date().toISOString(), msg: 'audit_records_lost', count }
  return `${JSON.stringify(record)}\n`
}
