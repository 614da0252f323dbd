import { ApiError, createApiClient } from '@toolhaven/contract/client'
import { askDaemon } from './ask-daemon.ts'
import { pageSession } from './session/page-session.ts'

export const api = createApiClient({
  baseUrl: location.origin,
  fetch: async (request) => askDaemon(await pageSession.admit(request)),
})

/** The API's own sentence, which says what is wrong and what to do. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError && error.message !== '') return error.message
  return error instanceof Error ? error.message : String(error)
}
