import { ApiError, createApiClient } from '@toolhaven/contract/client'
import { pageSession } from './session/page-session.ts'

/** The daemon did not answer at all. */
export class DaemonAway extends Error {
  constructor(cause: unknown) {
    super('Toolhaven does not answer. Start it with “thv serve”.', { cause })
    this.name = 'DaemonAway'
  }
}

export const api = createApiClient({
  baseUrl: location.origin,
  fetch: async (request) => {
    const admitted = await pageSession.admit(request)
    return fetch(admitted).catch((error: unknown) => {
      throw request.signal.aborted ? error : new DaemonAway(error)
    })
  },
})

/** The API's own sentence, which says what is wrong and what to do. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError && error.message !== '') return error.message
  return error instanceof Error ? error.message : String(error)
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404
}
