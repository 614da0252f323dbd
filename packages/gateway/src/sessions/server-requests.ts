import { isObject, RPC_ERROR, type JsonObject, type RequestId, type RpcRequest } from '../json-rpc.ts'
import { metaOf } from '../modern-era.ts'
import type { Call } from './call.ts'
import type { Session } from './session.ts'

const CAPABILITY: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
}

export interface Asked {
  session: Session
  serverId: RequestId
  progressToken: unknown
  call: Call | undefined
}

export type Route = { session: Session; call: Call | undefined } | { error: { code: number; message: string } }

/**
 * Which client a request of a shared server is for. A pipe does not say which call caused it, so: the one client that has
 * calls in flight; among several the most recent call of one that can answer, and rather one that has no question open: most
 * servers wait for their answer; with none in flight the oldest client that can. When the client it must be for cannot answer, it is refused on its behalf rather than shown to another.
 */
export function routeServerRequest(request: RpcRequest, calls: readonly Call[], sessions: Iterable<Session>): Route {
  const refused = { error: { code: RPC_ERROR.methodNotFound, message: `no client can answer ${request.method}` } }
  if (calls.length > 0) {
    const call = calls.findLast((candidate) => canAnswer(candidate.session, request))
    return call === undefined ? refused : { session: call.session, call }
  }
  // Without a call there is no way to ask a client that has no session.
  for (const session of sessions)
    if (session.front !== 'modern' && canAnswer(session, request)) return { session, call: undefined }
  return refused
}

/** Whether the client said it can do what a server asks for with this. */
export function canAnswer(
  session: Session,
  { method, params }: { method: string; params?: JsonObject | undefined },
): boolean {
  const capability = Object.hasOwn(CAPABILITY, method) ? CAPABILITY[method] : undefined
  if (capability === undefined || !session.has(capability)) return false
  return capability !== 'elicitation' || hasMode(session, params)
}

/** Elicitation by URL is declared apart; plain elicitation means forms. */
function hasMode(session: Session, params: JsonObject | undefined): boolean {
  if (params?.['mode'] !== 'url') return true
  const capabilities = session.client['capabilities']
  return isObject(capabilities) && isObject(capabilities['elicitation']) && isObject(capabilities['elicitation']['url'])
}

/** The call that asked for progress with this token. */
export function callOfProgress(calls: Iterable<Call>, token: unknown): Call | undefined {
  for (const call of calls) if (metaOf(call.request.params)['progressToken'] === token) return call
  return undefined
}

/** The call a message without any mark belongs to, when only one client can have caused it. */
export function soleCaller(calls: readonly Call[]): Call | undefined {
  const last = calls.at(-1)
  // Clients without sessions that say the same about themselves share one here.
  if (calls.length > 1 && last?.session.front === 'modern') return undefined
  return last !== undefined && calls.every((call) => call.session === last.session) ? last : undefined
}
