import { describeError } from '../errors.ts'

const NOT_REACHED: ReadonlyMap<unknown, string> = new Map([
  ['ECONNREFUSED', 'nothing listens at that address'],
  ['ENOENT', 'nothing listens at that address'],
  ['EHOSTUNREACH', 'no network leads to that address'],
  ['ENETUNREACH', 'no network leads to that address'],
  ['EAI_AGAIN', 'the name of the host could not be looked up'],
  ['ENOTFOUND', 'there is no host with that name'],
])

/** No connection could be made: the server has handled nothing. */
export function isNotReached(error: unknown): error is Error & { code: unknown } {
  return error instanceof Error && 'code' in error && NOT_REACHED.has(error.code)
}

/** The same in words, together with the system's own message. */
export function notReachedText(error: Error & { code: unknown }): string {
  return `${NOT_REACHED.get(error.code)} (${describeError(error)})`
}
