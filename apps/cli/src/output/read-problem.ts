import { describeError } from '@toolhaven/core/errors'
import { errnoOf } from '@toolhaven/stores/files/errno'

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file; check the path',
  ENOTDIR: 'there is no such file; check the path',
  EISDIR: 'it is a folder; name a file in it',
  EACCES: 'you may not read it; check its permissions',
}

/** Why a file that the user named cannot be read, and what to do. */
export function readProblem(error: unknown): string {
  return PROBLEMS[errnoOf(error) ?? ''] ?? describeError(error)
}
