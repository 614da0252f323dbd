/** What went wrong, as a class that each edge maps once: the API to a status, the command to an exit code. */
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
 * An error a user can act on: its message is one sentence saying what is wrong and what to do.
 * Anything else that is thrown is a fault of ours.
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

/** One line of text for a status or a log, whatever was thrown. */
export function describeError(error: unknown): string {
  if (wasReplaced(error)) return REPLACED
  return error instanceof Error ? error.message : String(error)
}

export const REPLACED =
  'an update replaced the program while this daemon ran; "thv serve" starts the new one, and servers go on'

/** Parts are loaded when they are first needed, and an update in place takes the old ones away. */
export function wasReplaced(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
}
