import type { HttpResponse } from '../http/server/exchange.ts'
import type { EventStream } from '../http/server/event-stream.ts'
import { sendEmpty, sendJson } from '../http/server/reply.ts'
import type { JsonObject } from '../messages/json-rpc.ts'
import { joined } from '../messages/parts.ts'
import { isKnownVersion, POLLING_VERSION } from '../messages/protocol-versions.ts'
import type { AnswerStream } from '../sessions/answer-streams.ts'
import type { ReplySink } from '../sessions/call.ts'
import { UNHEARD_MS, type Session } from '../sessions/session.ts'
import type { FrontContext } from './front-context.ts'

export interface PostReplyOptions {
  context: Pick<FrontContext, 'openStream'>
  session: Session
  response: HttpResponse
  /** How many requests the body contained. */
  expected: number
  isBatch: boolean
  acceptsStream: boolean
  prefersStream: boolean
}

/**
 * The response to one POST of streamable HTTP: plain JSON when there are only answers, a stream for clients that prefer
 * one or as soon as something has to be said before the answers. A client that loses the stream comes back for the rest
 * with the id of an event.
 */
export class PostReply implements ReplySink {
  readonly #options: PostReplyOptions
  readonly #answers: string[] = []
  #open: number
  #stream: AnswerStream | undefined
  #isAnswered = false
  #pausedAt = -Infinity

  constructor(options: PostReplyOptions) {
    this.#options = options
    this.#open = options.expected
    if (options.prefersStream) this.#startStream()
  }

  related(text: string): boolean {
    if (!this.#options.acceptsStream) return false
    // A client that left without the id of an event cannot come back for it.
    if (this.#stream === undefined && this.#options.response.destroyed) return false
    this.#startStream().send(text)
    return true
  }

  /** Only for clients that know about pauses: others would take the end of the stream for the end of the call. */
  pause(retryMs: number | undefined): void {
    const { acceptsStream, response, isBatch } = this.#options
    const isGone = this.#stream === undefined && response.destroyed
    if (!this.#mayPrime || !acceptsStream || isBatch || isGone) return
    this.#pausedAt = Date.now()
    this.#startStream(retryMs).detach()
  }

  get isAwaited(): boolean {
    if (this.#stream === undefined) return !this.#options.response.destroyed
    return this.#stream.isConnected || Date.now() - this.#pausedAt < UNHEARD_MS
  }

  answer(body: JsonObject, text: string = JSON.stringify(body)): void {
    this.#isAnswered = true
    if (this.#stream === undefined) this.#answers.push(text)
    else this.#stream.send(text)
    this.#settle()
  }

  answerBytes(parts: readonly Buffer[]): void {
    const isAlone = this.#stream === undefined && !this.#options.isBatch
    if (!isAlone) return this.answer({}, joined(parts).toString())
    this.#open -= 1
    sendJson(this.#options.response, 200, parts)
  }

  abandon(): void {
    this.#settle()
  }

  /** Older clients treat each event as a message. As in the SDK's servers, the revision in the request counts. */
  get #mayPrime(): boolean {
    const { session, response } = this.#options
    const said = response.req.headers['mcp-protocol-version']
    return (isKnownVersion(said) ? said : session.version) >= POLLING_VERSION
  }

  #startStream(retryMs?: number): AnswerStream {
    if (this.#stream !== undefined) {
      if (retryMs !== undefined) this.#stream.prime(retryMs)
      return this.#stream
    }
    this.#stream = this.#options.session.answers.open()
    this.#stream.attach(this.#openStream())
    if (this.#mayPrime) this.#stream.prime(retryMs)
    for (const text of this.#answers) this.#stream.send(text)
    return this.#stream
  }

  #openStream(): EventStream {
    return this.#options.context.openStream(this.#options.response)
  }

  #settle(): void {
    if (--this.#open > 0) return
    const { response, isBatch, acceptsStream } = this.#options
    if (this.#stream !== undefined) this.#stream.end(this.#isAnswered)
    else if (this.#answers.length > 0)
      sendJson(response, 200, isBatch ? `[${this.#answers.join(',')}]` : this.#answers.join(''))
    // All were cancelled: ending the stream without an answer tells the client that none will come.
    else if (acceptsStream) this.#openStream().end()
    else sendEmpty(response, 202)
  }
}
