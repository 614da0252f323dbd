import { type ErrorCode, isThvError, REPLACED, wasReplaced } from '@toolhaven/core/errors'
import type { Logger } from '@toolhaven/core/ports/logger'

const HTTP_STATUS = {
  invalid: 400,
  forbidden: 403,
  'not-found': 404,
  unsupported: 405,
  conflict: 409,
  'not-implemented': 501,
  unavailable: 500, // only /health answers 503
  upstream: 502,
} as const satisfies Record<ErrorCode, number>

export interface ErrorAnswer {
  status: number
  text: string
}

interface ErrorReader {
  logger: Logger
  mask: (text: string) => string
  /** Whether the caller is the daemon's own user, who may see paths and needs them, for example to find a full disk. */
  isOwner: boolean
}

/** Explains expected errors. Any other error is a bug, and only the log gets its details. */
export function toErrorAnswer(error: unknown, { logger, mask, isOwner }: ErrorReader): ErrorAnswer {
  if (isThvError(error)) {
    const isOutside = error.code === 'unavailable' || error.code === 'upstream'
    if (isOutside) logger.warn('a request failed', { detail: mask(error.message) })
    const text = isOutside && !isOwner ? withoutPaths(error.message) : error.message
    return { status: HTTP_STATUS[error.code], text: mask(text) }
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
  logger.error('a request failed unexpectedly', { detail: mask(detail) })
  return {
    status: 500,
    text: wasReplaced(error) ? REPLACED : 'internal server error; the log of the daemon has the details',
  }
}

/** Other callers learn what is wrong with the disk, but only the log has the path. */
function withoutPaths(text: string): string {
  return text.replaceAll(/(?<![\w/:])\/(?:[\w.@+-]+\/)+[\w.@+-]*/g, 'a folder of the daemon')
}

export function textResponse(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', ...headers },
  })
}
