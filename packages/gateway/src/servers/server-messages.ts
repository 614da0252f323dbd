import {
  isObject,
  isRequestId,
  onOneLine,
  RPC_ERROR,
  type JsonObject,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../messages/json-rpc.ts'
import { metaOf } from '../messages/modern-era.ts'
import { wantsLevel } from '../sessions/log-levels.ts'
import {
  isKnownQuestion,
  routeServerRequest,
  routeToOwner,
  soleCaller,
  type Route,
  type RoutedQuestion,
} from '../sessions/server-requests.ts'
import type { Cause, OpenCall, Session } from '../sessions/session.ts'
import type { ListPart } from '../tools/locked-lists.ts'
import type { PendingCalls } from './pending-calls.ts'
import { CALL_IS_OVER, isKeptId, MOST_QUESTIONS, OpenQuestions, TOO_MANY_QUESTIONS } from './open-questions.ts'

export interface ServerMessagesOptions {
  pending: PendingCalls
  sessions: () => Iterable<Session>
  /** They hear about changes as sessions do, and nothing else. */
  listeners?: (() => Iterable<Session>) | undefined
  write: (body: JsonObject) => void
  onListChanged?: ((part: ListPart) => void) | undefined
  /** The only client of the process. Undefined: several share it. */
  owner?: (() => Session | undefined) | undefined
  /** The handshake was between the server and that client. */
  isExclusive?: boolean | undefined
  /** A server that may be shared asked something. `session`: the client that caused it, if only one client can have. */
  onAsk?: ((session: Session | undefined) => void) | undefined
}

export const TOOLS_CHANGED = 'notifications/tools/list_changed'

/** Each with the part of the server's definitions that it is about. */
export const LIST_CHANGED: ReadonlyMap<string, ListPart> = new Map([
  [TOOLS_CHANGED, 'tool'],
  ['notifications/prompts/list_changed', 'prompt'],
  ['notifications/resources/list_changed', 'resource_template'],
])

/** Finds the client, or the clients, that a message of a shared server is for. */
export class ServerMessages {
  readonly #options: ServerMessagesOptions
  readonly #asked = new OpenQuestions()
  /** What the process of a single call asked before it got that call. */
  #early: RpcRequest[] = []

  constructor(options: ServerMessagesOptions) {
    this.#options = options
  }

  receive(message: RpcRequest | RpcNotification): void {
    if (message.kind === 'request') this.#ask(message)
    else this.#notify(message)
  }

  /** A call was sent to the server. */
  callBegan(): void {
    for (const request of this.#early.splice(0)) this.#ask(request)
  }

  /** A client's answer. Only the client that was asked can give it, and only once. */
  respond(session: Session, response: RpcResponse): void {
    if (typeof response.id !== 'number') return
    const asked = this.#asked.get(response.id)
    if (asked?.session !== session) return
    this.#asked.delete(response.id)
    this.#options.write({ ...response.body, id: asked.serverId })
  }

  isAskedWithToken(session: Session, token: unknown): boolean {
    return isRequestId(token) && this.#asked.of(session).some((asked) => asked.progressToken === token)
  }

  endSession(session: Session): void {
    for (const asked of this.#asked.takeOf(session)) this.#refuse(asked.serverId, failed('the client left'))
  }

  #ask(request: RpcRequest): void {
    if (!isKeptId(request.id)) return
    if (request.method === 'ping') return this.#options.write({ jsonrpc: '2.0', id: request.id, result: {} })
    if (this.#isEarly && this.#early.length < MOST_QUESTIONS) return void this.#early.push(request)
    const route = this.#route(request)
    if ('error' in route) this.#refuse(request.id, route.error)
    else this.#put(request, route)
    if (isKnownQuestion(request)) this.#options.onAsk?.(route.session)
  }

  /** If the only call here will be that of a stateless client, that client can be asked with this call. */
  get #isEarly(): boolean {
    const { owner, pending } = this.#options
    return owner?.()?.front === 'modern' && pending.hasServedOnly(undefined)
  }

  #route(request: RpcRequest): Route {
    const { pending, sessions, owner, isExclusive = false } = this.#options
    const only = owner?.()
    const open = pending.calls()
    if (only !== undefined) return routeToOwner(request, only, open, isExclusive)
    const cancelled = pending.cancelledCauses()
    return routeServerRequest(request, {
      ...{ open, cancelled, hasUnknown: pending.hasUnknown(), lately: pending.servedLately(), sessions: sessions() },
      hasServedOnly: (session) => pending.hasServedOnly(session),
    })
  }

  #put(request: RpcRequest, { session, calls }: RoutedQuestion): void {
    const call = calls.at(-1)
    if (!this.#asked.hasRoom(session, call)) return this.#refuse(request.id, failed(TOO_MANY_QUESTIONS))
    const token = metaOf(request.params)['progressToken']
    const causes = this.#mayOutlive(request, session) ? [] : calls
    const id = this.#asked.add({
      session,
      serverId: request.id,
      progressToken: isRequestId(token) && isKeptId(token) ? token : undefined,
      calls: new Set(causes),
    })
    for (const cause of causes) cause.onOver ??= () => this.#callOver(cause)
    const text = JSON.stringify({ ...request.body, id })
    if (call === undefined) session.send(text)
    else call.related(text)
  }

  /** Roots are about the client itself. Besides, a server with one client need not ask during a call. */
  #mayOutlive({ method }: RpcRequest, session: Session): boolean {
    return session.front !== 'modern' && (method === 'roots/list' || this.#options.owner?.() === session)
  }

  /** Its server may still wait for an answer. */
  #callOver(call: OpenCall): void {
    for (const asked of this.#asked.takeOfCall(call)) this.#refuse(asked.serverId, failed(CALL_IS_OVER))
  }

  #refuse(id: RequestId, error: { code: number; message: string }): void {
    this.#options.write({ jsonrpc: '2.0', id, error })
  }

  #notify(notification: RpcNotification): void {
    const { method, params } = notification
    if (method === 'notifications/progress') return this.#progress(notification)
    if (method === 'notifications/cancelled') return this.#cancelled(params)
    const listed = LIST_CHANGED.get(method)
    if (listed !== undefined) {
      this.#options.onListChanged?.(listed)
      return this.#toEach(notification, () => true)
    }
    if (method === 'notifications/resources/updated')
      return this.#toEach(notification, (session) => isSubscriber(session, params?.['uri']))
    this.#toItsCaller(notification)
  }

  #progress(notification: RpcNotification): void {
    const call = this.#options.pending.callOf(notification.params?.['progressToken'])
    const meta = call?.request.params?.['_meta']
    if (call === undefined || !isObject(meta) || !isRequestId(meta['progressToken'])) return
    const params = { ...notification.params, progressToken: meta['progressToken'] }
    call.related(JSON.stringify({ ...notification.body, params }))
  }

  /** The server no longer wants an answer to something it asked. */
  #cancelled(params: JsonObject | undefined): void {
    this.#early = this.#early.filter(({ id }) => id !== params?.['requestId'])
    for (const [id, asked] of this.#asked.all()) {
      if (asked.serverId !== params?.['requestId']) continue
      this.#asked.delete(id)
      asked.session.send(
        JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { ...params, requestId: id } }),
      )
    }
  }

  /**
   * Handles log messages and everything else that names no call. Such a message may reveal one client's call, so it
   * goes to a client only when no other can have caused it.
   */
  #toItsCaller(notification: RpcNotification): void {
    const { pending } = this.#options
    const open = pending.calls()
    const call = open.at(-1)
    const session = this.#soleCause([...open.map(({ cause }) => cause), ...pending.cancelledCauses()])
    // Only a call can carry a message to a stateless client.
    if (session === undefined || (call === undefined && session.front === 'modern')) return
    if (notification.method === 'notifications/message' && !wantsLevel(session, notification.params?.['level'])) return
    const text = onOneLine(notification)
    if (call === undefined) session.send(text)
    else call.related(text)
  }

  /** The client of those calls. Without calls, the only client. */
  #soleCause(calls: readonly Cause[]): Session | undefined {
    const { pending, owner } = this.#options
    const sessions = [...this.#options.sessions()]
    if (pending.hasUnknown() && owner?.() === undefined) return undefined
    if (calls.length === 0) {
      const [only, ...others] = sessions
      return others.length === 0 && pending.hasServedOnly(only) ? only : undefined
    }
    const session = soleCaller(calls)?.session
    return session !== undefined && (session.front === 'modern' || sessions.includes(session)) ? session : undefined
  }

  #toEach(notification: RpcNotification, isFor: (session: Session) => boolean): void {
    const text = onOneLine(notification)
    const { sessions, listeners = () => [] } = this.#options
    for (const session of [...sessions(), ...listeners()]) if (isFor(session)) session.send(text)
  }
}

const failed = (message: string) => ({ code: RPC_ERROR.server, message })

/** A subscription covers what is below it. */
export function isSubscriber(session: Session, uri: unknown): boolean {
  if (typeof uri !== 'string') return false
  if (session.subscriptions.has(uri)) return true
  for (const subscribed of session.subscriptions)
    if (uri.startsWith(subscribed.endsWith('/') ? subscribed : `${subscribed}/`)) return true
  return false
}
