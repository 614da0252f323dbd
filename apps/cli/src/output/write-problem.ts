import { describeError, ThvError, unavailable } from '@toolhaven/core/errors'
import { errnoOf } from '@toolhaven/stores/files/errno'

/** Why what a person asked for cannot be written, and what to do. A full disk does not say which one it is. */
export function writeProblem(what: string, folder: string, error: unknown): ThvError {
  const code = errnoOf(error)
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return unavailable(`no space is left for ${folder}\nFree some space, or choose another place.`, error)
  return new ThvError('forbidden', `${what} cannot be written; choose another place: ${describeError(error)}`, {
    cause: error,
  })
}
