import { describeError, invalid, isThvError } from '@toolhaven/core/errors'
import type { GuardedFetch } from '../net/guarded-fetch.ts'
import type { GuardedInit } from '../net/follow-redirect.ts'

export interface FetchedText {
  response: Response
  text: string
  bytes: number
}

/** For the user who named the location, an unreachable one is a mistake like any other, so it is reported as `invalid`. */
export async function fetchText(
  fetch: GuardedFetch,
  url: string | URL,
  { origin, ...init }: GuardedInit & { origin: string },
): Promise<FetchedText> {
  try {
    const response = await fetch(url, init)
    const bytes = await response.arrayBuffer()
    return { response, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), bytes: bytes.byteLength }
  } catch (error) {
    const reason = isThvError(error)
      ? error.message
      : error instanceof TypeError
        ? 'it is not UTF-8 text'
        : describeError(error)
    throw invalid(`${origin} could not be read: ${reason}`, error)
  }
}
