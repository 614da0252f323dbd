import { RPC_ERROR } from '../messages/json-rpc.ts'
import type { Refusal } from '../policy/refusal.ts'
import type { Session } from './session.ts'

/** Subscriptions are kept and stored as long as their session. */
const LONGEST_URI = 8 * 1024
/** Each is a request of its own to the server. */
export const MOST_SUBSCRIPTIONS = 1000

/** Why a filter of `subscriptions/listen` names too much. */
export const TOO_MANY = `resourceSubscriptions may name ${MOST_SUBSCRIPTIONS} resources at most. Send several requests for more`

/** For all sessions of a caller. The oldest are not ended for a new one: their client would not know. */
const MOST_OF_A_CALLER = 5000

export const TOO_LONG = `a resource's URI may have ${LONGEST_URI} characters at most`

export function isSubscribable(uri: string): boolean {
  return uri.length <= LONGEST_URI
}

/** Why the session cannot have this subscription as well. The server's side refuses a value that is not a string. */
export function subscriptionProblem(session: Session, uri: unknown, all: Iterable<Session>): Refusal | undefined {
  const { subscriptions, owner } = session
  if (typeof uri !== 'string') return undefined
  if (!isSubscribable(uri)) return invalid(TOO_LONG)
  if (subscriptions.has(uri)) return undefined
  if (subscriptions.size >= MOST_SUBSCRIPTIONS)
    return invalid(`a session may have ${MOST_SUBSCRIPTIONS} subscriptions. End one first`)
  return hasRoomFor(1, owner, all) ? undefined : invalid(TOO_MANY_OF_A_CALLER)
}

export const TOO_MANY_OF_A_CALLER = `all sessions of a caller together may have ${MOST_OF_A_CALLER} subscriptions. End one first`

/** Whether a caller may have this many more. Callers without a name cannot be told apart and have no common limit. */
export function hasRoomFor(more: number, owner: string | undefined, all: Iterable<Session>): boolean {
  if (owner === undefined) return true
  let count = more
  for (const { owner: other, subscriptions, expectedSubscriptions } of all)
    if (other === owner) count += Math.max(subscriptions.size, expectedSubscriptions)
  return count <= MOST_OF_A_CALLER
}

function invalid(why: string): Refusal {
  return { code: RPC_ERROR.invalidParams, message: `Invalid params: ${why}.` }
}
