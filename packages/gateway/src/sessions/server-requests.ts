import { isObject, RPC_ERROR, type JsonObject, type RequestId, type RpcRequest } from '../messages/json-rpc.ts'
import { metaOf } from '../messages/modern-era.ts'
import type { Cause, OpenCall, Session } from './session.ts'

const CAPABILITY: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
}

export interface Asked {
  session: Session
  serverId: RequestId
  progressToken: unknown
  /**
   * The question is over when all of these are. Empty: it is about the client itself, and worth an answer after its
   * calls as well.
   */
  calls: Set<OpenCall>
}

export interface RoutedQuestion {
  session: Session
  /** The client's calls that can have caused it, oldest first. */
  calls: readonly OpenCall[]
}

/** `session`: the only client that can have caused it, which cannot answer. */
export type Route = RoutedQuestion | { error: { code: number; message: string }; session?: Session }

export interface Users {
  /** Calls that the server has not answered. */
  open: readonly OpenCall[]
  /** Calls that no client waits for any more, although the server may still work on them. */
  cancelled: readonly Cause[]
  /** Whether there may be more of those. */
  hasUnknown: boolean
  /** Clients whose calls ended recently: a late question may belong to one of them. */
  lately: ReadonlySet<Session>
  /** Whether no other client's call was ever sent to the process. */
  hasServedOnly: (session: Session) => boolean
  /** All clients of the process. */
  sessions: Iterable<Session>
}

/**
 * Which client a request of a shared server is for. A pipe does not say which call caused it. If only one client can have
 * caused it, the request goes to that client. Otherwise it is refused: another client must never see it.
 */
export function routeServerRequest(request: RpcRequest, users: Users): Route {
  const { open, cancelled, hasUnknown, lately, sessions } = users
  const callers = new Set([...open.map(({ cause }) => cause), ...cancelled].map(callerOf))
  if (hasUnknown || callers.size > 1) return refused(RPC_ERROR.server, severalClients(request.method))
  const last = open.at(-1)
  if (last !== undefined && hasOther(lately, last.session))
    return refused(RPC_ERROR.server, severalClients(request.method))
  if (last === undefined && callers.size > 0) return refused(RPC_ERROR.server, 'the call is over')
  const [only, ...others] = last === undefined ? sessions : [last.session]
  // With no call open, it may belong to a call that was answered.
  const isDoubtful = last === undefined && only !== undefined && !users.hasServedOnly(only)
  if (others.length > 0 || isDoubtful) return refused(RPC_ERROR.server, severalClients(request.method))
  // Only a call can carry a question to a stateless client.
  if (only === undefined || (last === undefined && only.front === 'modern')) return noAnswer(request.method)
  if (!canAnswer(only, request)) return { ...noAnswer(request.method), session: only }
  return { session: only, calls: open }
}

/** Whether any of them is another client. */
function hasOther(sessions: ReadonlySet<Session>, session: Session): boolean {
  return sessions.size > (sessions.has(session) ? 1 : 0)
}

/**
 * The same for a process that only this client uses. `isItsOwn`: the handshake was the client's too, and so is
 * everything that the server may ask.
 */
export function routeToOwner(request: RpcRequest, owner: Session, open: readonly OpenCall[], isItsOwn: boolean): Route {
  const isUnreachable = owner.front === 'modern' && open.length === 0
  if (isUnreachable) return refused(RPC_ERROR.server, 'the call is over')
  const isDeclared = canAnswer(owner, request)
  return isDeclared || (isItsOwn && owner.front !== 'modern')
    ? { session: owner, calls: open }
    : noAnswer(request.method)
}

/**
 * Stateless clients that describe themselves in the same way share a session here: each of their calls may be another
 * client's.
 */
export const callerOf = (cause: Cause): Session | Cause => (cause.session.front === 'modern' ? cause : cause.session)

const refused = (code: number, message: string) => ({ error: { code, message } })

const noAnswer = (method: string) => refused(RPC_ERROR.methodNotFound, `no client can answer ${method}`)

const severalClients = (method: string) =>
  `several clients share this server, and it does not say which of them ${method} is for. Call again. With session_mode auto or isolated, each client that can answer gets a server of its own.`

/** Whether it is something that a client declares to be able to answer. */
export const isKnownQuestion = ({ method }: RpcRequest) => Object.hasOwn(CAPABILITY, method)

/** Whether the client can answer anything that servers ask. */
export function canAnswerSome(session: Session): boolean {
  return Object.values(CAPABILITY).some((capability) => session.has(capability))
}

/** Whether the client said that it can answer this request. */
export function canAnswer(
  session: Session,
  { method, params }: { method: string; params?: JsonObject | undefined },
): boolean {
  const capability = Object.hasOwn(CAPABILITY, method) ? CAPABILITY[method] : undefined
  if (capability === undefined || !session.has(capability)) return false
  return capability !== 'elicitation' || hasMode(session, params)
}

/** Elicitation by URL is declared separately. Plain elicitation means forms. */
function hasMode(session: Session, params: JsonObject | undefined): boolean {
  if (params?.['mode'] !== 'url') return true
  const capabilities = session.client['capabilities']
  return isObject(capabilities) && isObject(capabilities['elicitation']) && isObject(capabilities['elicitation']['url'])
}

/** The call that asked for progress with this token. */
export function callOfProgress(calls: Iterable<OpenCall>, token: unknown): OpenCall | undefined {
  for (const call of calls) if (metaOf(call.request.params)['progressToken'] === token) return call
  return undefined
}

/** The call that a message without any mark belongs to, when only one client can have caused it. */
export function soleCaller(calls: readonly Cause[]): Cause | undefined {
  const last = calls.at(-1)
  // Stateless clients that describe themselves in the same way share a session here.
  if (calls.length > 1 && last?.session.front === 'modern') return undefined
  return last !== undefined && calls.every((call) => call.session === last.session) ? last : undefined
}
