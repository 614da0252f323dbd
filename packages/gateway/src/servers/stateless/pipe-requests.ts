import {
  isObject,
  isRequestId,
  type JsonObject,
  type RpcNotification,
  type RpcRequest,
} from '../../messages/json-rpc.ts'
import { META, metaOf } from '../../messages/modern-era.ts'
import { reachesLevel } from '../../sessions/log-levels.ts'
import type { PendingCalls } from '../pending-calls.ts'
import type { ServerReply, ServerRequest, ServerRequests } from './requests.ts'

/** One pipe for the messages of all clients, and the requests not answered on it yet. */
export interface MessagePipe {
  readonly pending: PendingCalls
  /** Gets what the server sends on its own initiative. */
  onMessage: (message: RpcRequest | RpcNotification) => void
  /** Returns false when it cannot be sent. `request` is for servers reached over HTTP. */
  write(body: JsonObject, request?: Pick<ServerRequest, 'headers' | 'waitMs'>): boolean
  stop(reason: string, keepOpen: boolean): void
}

interface Open {
  request: ServerRequest
  reply: ServerReply
}

/** Requests of all clients on one pipe, under our own ids and progress tokens. */
export class PipeRequests implements ServerRequests {
  readonly takesHeaders = false
  readonly #pipe: MessagePipe
  readonly #open = new Map<number, Open>()

  constructor(pipe: MessagePipe) {
    this.#pipe = pipe
    // A stateless server sends no requests. If one did, nobody would know for whom.
    pipe.onMessage = (message) => message.kind === 'notification' && this.#notified(message)
  }

  send(request: ServerRequest, reply: ServerReply): (params: JsonObject) => void {
    const { method, params } = request
    const id = this.#pipe.pending.add({
      call: undefined,
      onAnswer: (body) => {
        this.#open.delete(id)
        reply.onAnswer(body)
      },
      onLost: (reason, error) => {
        this.#open.delete(id)
        reply.onLost(error ?? new Error(reason))
      },
    })
    this.#open.set(id, { request, reply })
    const body = { jsonrpc: '2.0', id, method, params: withProgressToken(params, id) }
    const sent = this.#pipe.write(body, request)
    if (!sent) this.#pipe.pending.take(id)?.onLost('the server does not read its input. Try again later')
    return (cancelled) => this.#cancel(id, cancelled)
  }

  stop(reason: string, keepOpen: boolean): void {
    // The next daemon will not know them.
    if (keepOpen) for (const id of [...this.#open.keys()]) this.#tellCancelled(id, {})
    this.#pipe.stop(reason, keepOpen)
  }

  #cancel(id: number, params: JsonObject): void {
    if (this.#pipe.pending.take(id) === undefined) return
    this.#open.delete(id)
    this.#tellCancelled(id, params)
  }

  #tellCancelled(id: number, params: JsonObject): void {
    this.#pipe.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { ...params, requestId: id } })
  }

  #notified(notification: RpcNotification): void {
    const { method, params } = notification
    if (method === 'notifications/progress') return this.#progress(notification)
    if (method === 'notifications/cancelled') return this.#ended(params?.['requestId'])
    const subscription = metaOf(params)[META.subscriptionId]
    const open = subscription === undefined ? this.#soleFor(notification) : this.#openOf(subscription)
    open?.reply.onNotification(notification)
  }

  #progress(notification: RpcNotification): void {
    const open = this.#openOf(notification.params?.['progressToken'])
    const progressToken = open === undefined ? undefined : metaOf(open.request.params)['progressToken']
    if (open === undefined || !isRequestId(progressToken)) return
    const params = { ...notification.params, progressToken }
    const body = { ...notification.body, params }
    open.reply.onNotification({ ...notification, params, body, text: JSON.stringify(body) })
  }

  /** A server cancels nothing but a subscription, which then ends. */
  #ended(id: unknown): void {
    if (this.#openOf(id)?.request.method !== 'subscriptions/listen') return
    this.#pipe.pending.take(id)?.onAnswer({ jsonrpc: '2.0', result: { resultType: 'complete' } })
  }

  /**
   * A pipe does not say which request a log message belongs to. The message may reveal one client's call, so it goes to
   * a client only when no other can have caused it.
   */
  #soleFor({ method, params }: RpcNotification): Open | undefined {
    const isLog = method === 'notifications/message'
    const able = [...this.#open.values()].filter(({ request }) => {
      if (request.session === undefined || request.method === 'subscriptions/listen') return false
      const level = metaOf(request.params)[META.logLevel]
      return !isLog || (typeof level === 'string' && reachesLevel(params?.['level'], level))
    })
    const last = able.at(-1)
    // Stateless clients may share one of our sessions.
    if (able.length > 1 && last?.request.session?.front === 'modern') return undefined
    return able.every(({ request }) => request.session === last?.request.session) ? last : undefined
  }

  #openOf(id: unknown): Open | undefined {
    return typeof id === 'number' ? this.#open.get(id) : undefined
  }
}

function withProgressToken(params: JsonObject, token: number): JsonObject {
  const meta = params['_meta']
  if (!isObject(meta) || !isRequestId(meta['progressToken'])) return params
  return { ...params, _meta: { ...meta, progressToken: token } }
}
