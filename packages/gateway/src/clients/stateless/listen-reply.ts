import type { HttpResponse } from '../../http/server/exchange.ts'
import type { EventStream } from '../../http/server/event-stream.ts'
import { sendJson } from '../../http/server/reply.ts'
import { isObject, parseMessage, type JsonObject, type RequestId } from '../../messages/json-rpc.ts'
import { META, metaOf } from '../../messages/modern-era.ts'
import type { ReplySink } from '../../sessions/call.ts'
import { type FrontContext } from '../front-context.ts'
import { statusOf } from './modern-exchange.ts'

export interface ListenReplyOptions {
  context: FrontContext
  id: RequestId
  response: HttpResponse
  /** Called when no client listens any more. */
  cancel: () => void
}

/**
 * A subscription at a stateless server, on its way to the client that asked for it. Each message carries the client's
 * own subscription id.
 */
export class ListenReply implements ReplySink {
  readonly id: RequestId
  readonly #options: ListenReplyOptions
  #stream: EventStream | undefined

  constructor(options: ListenReplyOptions) {
    this.id = options.id
    this.#options = options
    options.response.once('close', options.cancel)
  }

  related(text: string): boolean {
    const message = parseMessage(text)
    if (message?.kind !== 'notification') return true
    this.#send({ ...message.body, params: this.#marked(message.params ?? {}) })
    return true
  }

  answer(body: JsonObject): void {
    const { result } = body
    const own = isObject(result) ? { ...body, result: this.#marked(result) } : body
    if (this.#stream === undefined && !isObject(result))
      return sendJson(this.#options.response, statusOf(own), JSON.stringify(own))
    this.#send(own)
    this.#stream?.end()
  }

  /** The workload was removed, or the client disconnected. */
  abandon(): void {
    if (this.#stream === undefined) return void this.#options.response.destroy()
    this.answer({ jsonrpc: '2.0', id: this.id, result: { resultType: 'complete' } })
  }

  #marked(value: JsonObject): JsonObject {
    return { ...value, _meta: { ...metaOf(value), [META.subscriptionId]: this.id } }
  }

  #send(body: JsonObject): void {
    const { context, response } = this.#options
    if (this.#stream === undefined) {
      if (response.destroyed) return
      this.#stream = context.openStream(response)
    }
    this.#stream.send(JSON.stringify(body), { type: 'message' })
  }
}
