/** The class of an error. The API maps it to a status, the CLI to an exit code. */
export type ErrorCode =
  | 'invalid'
  | 'not-found'
  | 'unsupported'
  | 'conflict'
  | 'not-implemented'
  | 'unavailable'
  /** A service of others that was asked on a caller's behalf gave no usable answer. */
  | 'upstream'
  | 'forbidden'

/**
 * An error that a user can act on. Its message says in one sentence what is wrong and what to do. Any other thrown error is a bug.
 */
export class ThvError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'ThvError'
    this.code = code
  }
}

export const invalid = (message: string, cause?: unknown) => new ThvError('invalid', message, { cause })
export const notFound = (message: string, cause?: unknown) => new ThvError('not-found', message, { cause })
export const unsupported = (message: string, cause?: unknown) => new ThvError('unsupported', message, { cause })
export const conflict = (message: string, cause?: unknown) => new ThvError('conflict', message, { cause })
export const unavailable = (message: string, cause?: unknown) => new ThvError('unavailable', message, { cause })

export function isThvError(error: unknown, code?: ErrorCode): error is ThvError {
  return error instanceof ThvError && (code === undefined || error.code === code)
}

/** One line of text for a status or a log, for any thrown value. */
export function describeError(error: unknown): string {
  if (wasReplaced(error)) return REPLACED
  if (error instanceof Error && 'code' in error && error.code === 'ENOSPC')
    return "no space is left on a disk that Toolhaven's folders are on; free some and try again"
  return error instanceof Error ? error.message : String(error)
}

export const REPLACED =
  'an update replaced the program while this daemon ran; start the new one with "thv serve" (servers keep running)'

/** The program loads parts of itself when it first needs them, and an update in place removes the old ones. */
export function wasReplaced(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
}
