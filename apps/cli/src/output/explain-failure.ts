import { CommanderError } from 'commander'
import { type ErrorCode, isThvError } from '@toolhaven/core/errors'
import { printable } from './table.ts'

/** 0 done, 1 failed, 2 wrong usage, 3 not found, 4 daemon or runtime unavailable. */
const EXIT_CODES = {
  invalid: 2,
  forbidden: 1,
  'not-found': 3,
  unsupported: 1,
  conflict: 1,
  'not-implemented': 1,
  unavailable: 4,
  upstream: 4,
} as const satisfies Record<ErrorCode, number>

/** Says what failed, in one line, and gives the exit code. */
export function explainFailure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (isThvError(error)) {
    process.stderr.write(`thv: ${tame(error.message)}\n`)
    return EXIT_CODES[error.code]
  }
  const fault = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`thv: an unexpected fault: ${tame(fault)}\n`)
  return 1
}

/** The reason of a failure may be in the words of a server. */
function tame(text: string): string {
  return text.split('\n').map(printable).join('\n')
}
