import { RPC_ERROR } from '../json-rpc.ts'
import type { Refusal } from '../middleware/middleware.ts'
import type { Session } from './session.ts'

/** Subscriptions are kept as long as their session, and stored. */
const LONGEST_URI = 8 * 1024
/** Each is a request of its own to the server. */
export const MOST_SUBSCRIPTIONS = 1000

export const TOO_LONG = `a resource's URI may have ${LONGEST_URI} characters at most`

export function isSubscribable(uri: string): boolean {
  return uri.length <= LONGEST_URI
}

/** Why the session cannot have this one besides; what is no text, the server's side refuses. */
export function unfitSubscription({ subscriptions }: Session, uri: unknown): Refusal | undefined {
  if (typeof uri !== 'string') return undefined
  if (!isSubscribable(uri)) return invalid(TOO_LONG)
  const isOneMore = subscriptions.size >= MOST_SUBSCRIPTIONS && !subscriptions.has(uri)
  return isOneMore ? invalid(`a session may have ${MOST_SUBSCRIPTIONS} subscriptions; end one first`) : undefined
}

function invalid(why: string): Refusal {
  return { code: RPC_ERROR.invalidParams, message: `Invalid params: ${why}.` }
}
