import { CALL_IS_OVER, MOST_QUESTIONS, TOO_MANY_QUESTIONS } from '../../servers/open-questions.ts'
import type { HttpResponse } from '../../http/server/exchange.ts'
import type { EventStream } from '../../http/server/event-stream.ts'
import { sendJson } from '../../http/server/reply.ts'
import {
  isObject,
  parseMessage,
  RPC_ERROR,
  type JsonObject,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../../messages/json-rpc.ts'
import { MODERN_ERROR } from '../../messages/modern-era.ts'
import type { ReplySink } from '../../sessions/call.ts'
import type { Keeper } from '../../sessions/kept-bytes.ts'
import { reachesLevel } from '../../sessions/log-levels.ts'
import { UNHEARD_MS } from '../../sessions/session.ts'
import { weightOfValue } from '../../messages/weight.ts'

export interface ExchangeOptions {
  logLevel: string | undefined
  /** The client's own token. */
  progressToken: unknown
  acceptsStream: boolean
  openStream: (response: HttpResponse) => EventStream
  /** Translates a response into the form of the stateless era. */
  toModern: (body: JsonObject) => JsonObject
  /** Called when the call waits for its client. Returns the state that identifies it. */
  park: () => string
  /** Limit for all questions of a call that are not answered yet. */
  maxQuestionBytes: number
  /** Called when the bytes that it keeps for its client change, with the difference. */
  onKept: (keeper: Keeper, change: number) => void
  /** Passes the client's answer to the server that asked. */
  respond: (response: RpcResponse) => void
  /** Called when the client no longer waits for the call. */
  cancel: () => void
}

interface Question {
  id: RequestId
  method: string
  params: JsonObject | undefined
  bytes: number
}

/**
 * One call of a stateless client, over as many POSTs as the server has questions. A question of a server with sessions
 * ends the POST with "input required". The client's next POST brings the answers, and the same call goes on.
 */
export class ModernExchange implements ReplySink, Keeper {
  readonly #options: ExchangeOptions
  readonly #asked = new Map<string, Question>()
  /** Bytes kept until the client comes back. */
  bytes = 0
  #id: RequestId
  #response: HttpResponse | undefined
  /** When the client was told to come back with answers. */
  #parkedAt = -Infinity
  #stream: EventStream | undefined
  #final: JsonObject | undefined
  #questions = 0

  constructor(options: ExchangeOptions, id: RequestId, response: HttpResponse) {
    this.#options = options
    this.#id = id
    this.#attach(id, response)
  }

  get id(): RequestId {
    return this.#id
  }

  get isAwaited(): boolean {
    return this.#response !== undefined || Date.now() - this.#parkedAt < UNHEARD_MS
  }

  related(text: string): boolean {
    const message = parseMessage(text)
    if (message?.kind === 'request') this.#ask(message)
    else if (message?.kind === 'notification' && this.#wants(message.method, message.params))
      this.#notify(message.method === 'notifications/progress' ? this.#withOwnToken(message) : text)
    return true
  }

  answer(body: JsonObject): void {
    const modern = this.#options.toModern(body)
    this.#refuseAll()
    if (this.#response === undefined) this.#keepFinal(modern)
    else this.#finish(modern)
  }

  /**
   * The server hears that its questions are not answered and ends the call as it can. An answer is replaced by a short
   * error.
   */
  giveUp(): void {
    if (this.#asked.size > 0) return this.#refuseAll(TOO_MANY_QUESTIONS)
    if (this.#final === undefined) return
    const error = {
      code: RPC_ERROR.server,
      message: 'The answer waited too long for its client and was dropped. Call again.',
    }
    this.#final = { jsonrpc: '2.0', error }
    this.#keep(-this.bytes)
  }

  abandon(): void {
    this.#refuseAll()
    const response = this.#detach()
    if (this.#stream !== undefined) this.#stream.end()
    else response?.destroy()
  }

  /** The client has come back with answers. */
  resume(id: RequestId, response: HttpResponse, inputResponses: JsonObject): void {
    this.#attach(id, response)
    for (const [key, question] of this.#asked) {
      const result = Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined
      if (!isObject(result)) continue
      this.#asked.delete(key)
      this.#keep(-question.bytes)
      this.#respond(question.id, { result })
    }
    if (this.#final !== undefined) {
      this.#keep(-this.bytes)
      this.#finish({ ...this.#final, id })
    } else this.#requireInput()
  }

  /** The client did not come back in time. */
  expire(): void {
    this.#refuseAll()
    this.#keep(-this.bytes)
    this.#options.cancel()
  }

  #attach(id: RequestId, response: HttpResponse): void {
    this.#id = id
    this.#response = response
    this.#stream = undefined
    response.once('close', () => {
      if (this.#response !== response) return
      this.#response = undefined
      this.#options.cancel()
    })
  }

  #detach(): HttpResponse | undefined {
    const response = this.#response
    this.#response = undefined
    return response
  }

  #ask({ id, method, params }: RpcRequest): void {
    const { maxQuestionBytes } = this.#options
    const bytes = weightOfValue(params, maxQuestionBytes)
    if (this.#asked.size >= MOST_QUESTIONS || this.bytes + bytes > maxQuestionBytes)
      return this.#refuse(id, TOO_MANY_QUESTIONS)
    this.#asked.set(`${method.split('/')[0]}-${++this.#questions}`, { id, method, params, bytes })
    this.#keep(bytes)
    // Questions that arrive together are sent together.
    if (this.#response !== undefined) queueMicrotask(() => this.#requireInput())
  }

  /** The client will not answer them, so the server need not wait, and the gateway need not keep them. */
  #refuseAll(why = CALL_IS_OVER): void {
    const questions = [...this.#asked.values()]
    this.#asked.clear()
    for (const { id, bytes } of questions) {
      this.#keep(-bytes)
      this.#refuse(id, why)
    }
  }

  #keepFinal(body: JsonObject): void {
    this.#final = body
    this.#keep(weightOfValue(body, Infinity))
  }

  #keep(change: number): void {
    if (change === 0) return
    this.bytes += change
    this.#options.onKept(this, change)
  }

  #refuse(id: RequestId, message: string): void {
    this.#respond(id, { error: { code: RPC_ERROR.server, message } })
  }

  #respond(id: RequestId, outcome: JsonObject): void {
    const body = { jsonrpc: '2.0', id, ...outcome }
    this.#options.respond({ kind: 'response', id, body, text: JSON.stringify(body) })
  }

  #requireInput(): void {
    // The questions may have been given up, or their client may be gone.
    if (this.#response === undefined || this.#asked.size === 0) return
    this.#parkedAt = Date.now()
    const inputRequests = Object.fromEntries(
      [...this.#asked].map(([key, { method, params }]) => [key, { method, ...(params !== undefined && { params }) }]),
    )
    const result = { resultType: 'input_required', inputRequests, requestState: this.#options.park() }
    this.#finish({ jsonrpc: '2.0', id: this.#id, result })
  }

  #wants(method: string, params: JsonObject | undefined): boolean {
    if (method !== 'notifications/message') return true
    const { logLevel } = this.#options
    return logLevel !== undefined && reachesLevel(params?.['level'], logLevel)
  }

  #withOwnToken({ body, params }: RpcNotification): string {
    return JSON.stringify({ ...body, params: { ...params, progressToken: this.#options.progressToken } })
  }

  #notify(text: string): void {
    if (this.#response === undefined || !this.#options.acceptsStream) return
    this.#stream ??= this.#options.openStream(this.#response)
    this.#stream.send(text, { type: 'message' })
  }

  #finish(body: JsonObject): void {
    const response = this.#detach()
    if (response === undefined) return
    const text = JSON.stringify(body)
    if (this.#stream === undefined) return sendJson(response, statusOf(body), text)
    this.#stream.send(text, { type: 'message' })
    this.#stream.end()
  }
}

const BAD_REQUEST: ReadonlySet<unknown> = new Set(Object.values(MODERN_ERROR))

/** Revision 2026-07-28 gives some errors a status of their own. */
export function statusOf({ error }: JsonObject): number {
  if (!isObject(error)) return 200
  if (error['code'] === RPC_ERROR.methodNotFound) return 404
  return BAD_REQUEST.has(error['code']) ? 400 : 200
}
