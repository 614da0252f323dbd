import { CommanderError } from 'commander'
import { type ErrorCode, isThvError } from '@toolhaven/core/errors'
import { printable } from '@toolhaven/contract/visible-text'

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

/**
 * Reports the failure and returns the exit code. If `told` is given, it has the messages about the line so far, and the report is
 * one JSON object on stderr, because stdout holds results only.
 */
export function explainFailure(error: unknown, told?: string): number {
  const { code, kind, message } = failureOf(error, told)
  if (told !== undefined && code !== 0)
    process.stderr.write(`${JSON.stringify({ error: { code: kind, message: tame(message), exit_code: code } })}\n`)
  else if (message !== '') process.stderr.write(`thv: ${tame(message)}\n`)
  return code
}

function failureOf(error: unknown, told: string | undefined): { code: number; kind: string; message: string } {
  if (error instanceof CommanderError) {
    // The parser has already reported the error in the line.
    const message = told?.replace(/^thv: /, '').trim() ?? ''
    return { code: error.exitCode === 0 ? 0 : 2, kind: 'invalid', message }
  }
  if (isThvError(error)) return { code: EXIT_CODES[error.code], kind: error.code, message: error.message }
  const fault = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { code: 1, kind: 'internal', message: `an unexpected fault: ${fault}` }
}

/** A server may have written the reason of a failure. */
function tame(text: string): string {
  return text.split('\n').map(printable).join('\n')
}
