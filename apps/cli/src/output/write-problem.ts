import { describeError, ThvError, unavailable } from '@toolhaven/core/errors'
import { errnoOf } from '@toolhaven/stores/files/errno'

/** Why the requested file cannot be written, and what to do. The error of a full disk does not name the disk. */
export function writeProblem(what: string, folder: string, error: unknown): ThvError {
  const code = errnoOf(error)
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return unavailable(`no space is left for ${folder}\nFree some space, or choose another place.`, error)
  return new ThvError('forbidden', `${what} cannot be written; choose another place: ${describeError(error)}`, {
    cause: error,
  })
}
