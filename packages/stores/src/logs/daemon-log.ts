import { closeSync, constants, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import type { LogFields, Logger } from '@toolhaven/core/ports/logger'
import { errnoOf } from '../files/errno.ts'
import { rotated } from '../files/append-rotating.ts'
import { printable } from '@toolhaven/contract/visible-text'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface DaemonLogOptions {
  /** Receives whole lines. */
  write: (line: string) => void
  level: LogLevel
  /** `json` writes one object per line, for files and collectors. `human` writes short lines for a terminal. */
  form: 'json' | 'human'
  now?: () => number
}

const RANK = { debug: 0, info: 1, warn: 2, error: 3 } as const satisfies Record<LogLevel, number>

export function createDaemonLog(options: DaemonLogOptions): Logger {
  const { write, form, now = Date.now } = options
  const least = RANK[options.level]
  const at = (level: LogLevel) => (message: string, fields?: LogFields) => {
    if (RANK[level] < least) return
    const time = new Date(now()).toISOString()
    write(form === 'json' ? jsonLine(time, level, message, fields) : humanLine(time, level, message, fields))
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

export interface DaemonLogFile extends Disposable {
  /** Never throws: if the disk is full, the daemon runs without its log. */
  write(line: string): void
}

/** A private file that is rotated when it grows past `maxBytes`. Lines are written at once, so that a crash loses none. */
export function openDaemonLogFile(file: string, maxBytes = 10 * 1024 * 1024, files = 3): DaemonLogFile {
  let descriptor = openLog(file)
  let size = fstatSync(descriptor).size
  return {
    write(line) {
      try {
        if (size > 0 && size + Buffer.byteLength(line) > maxBytes) {
          shift(file, files)
          const next = openLog(file)
          closeSync(descriptor)
          descriptor = next
          size = 0
        }
        size += writeSync(descriptor, line)
      } catch {
        // There is nowhere left to report this.
      }
    },
    [Symbol.dispose]() {
      if (descriptor >= 0) closeSync(descriptor)
      descriptor = -1
    },
  }
}

function jsonLine(time: string, level: LogLevel, message: string, fields: LogFields | undefined): string {
  const line = { time, level, message, ...(fields === undefined ? {} : plain(fields)) }
  return `${JSON.stringify(line)}\n`
}

function humanLine(time: string, level: LogLevel, message: string, fields: LogFields | undefined): string {
  const facts = Object.entries(plain(fields ?? {})).map(([key, value]) => `${key}=${shown(value)}`)
  return `${printable([time.slice(11, 19), level.toUpperCase().padEnd(5), message, ...facts].join(' '))}\n`
}

function shown(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return value
  return JSON.stringify(value) ?? 'undefined'
}

/** Fields as JSON: errors as their messages, without values that JSON cannot represent. */
function plain(fields: LogFields): Record<string, unknown> {
  const seen = new WeakSet<object>()
  const replace = (_key: string, value: unknown): unknown => {
    if (typeof value === 'bigint') return String(value)
    if (value instanceof Error) return describeFault(value)
    if (typeof value !== 'object' || value === null) return value
    if (seen.has(value)) return '[seen above]'
    seen.add(value)
    return value
  }
  try {
    const copy: unknown = JSON.parse(JSON.stringify(fields, replace))
    return typeof copy === 'object' && copy !== null ? { ...copy } : {}
  } catch {
    return { fields: '[cannot be shown]' } // a getter or toJSON threw
  }
}

function describeFault(error: Error): Record<string, unknown> {
  const code = errnoOf(error)
  return { message: error.message, ...(code === undefined ? {} : { code }), stack: error.stack }
}

function openLog(file: string): number {
  return openSync(file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
}

function shift(file: string, files: number): void {
  for (let index = files - 2; index >= 0; index -= 1) {
    try {
      renameSync(rotated(file, index), rotated(file, index + 1))
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error
    }
  }
}
