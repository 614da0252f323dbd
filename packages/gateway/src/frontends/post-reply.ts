import type { ServerResponse } from 'node:http'
import type { EventStream } from '../http/event-stream.ts'
import { sendEmpty, sendJson } from '../http/reply.ts'
import type { JsonObject } from '../json-rpc.ts'
import type { ReplySink } from '../sessions/call.ts'

export interface PostReplyOptions {
  response: ServerResponse
  /** How many requests the body held. */
  expected: number
  isBatch: boolean
  acceptsStream: boolean
  acceptsJson: boolean
  openStream: () => EventStream
}

/**
 * The response to one POST of streamable HTTP: plain JSON when there is nothing but answers, a stream as soon as
 * something must be said before them.
 */
export class PostReply implements ReplySink {
  readonly #options: PostReplyOptions
  readonly #answers: string[] = []
  #open: number
  #stream: EventStream | undefined

  constructor(options: PostReplyOptions) {
    this.#options = options
    this.#open = options.expected
    if (!options.acceptsJson) this.#startStream()
  }

  related(text: string): boolean {
    if (!this.#options.acceptsStream || this.#options.response.destroyed) return false
    return this.#startStream().send(text, { type: 'message' })
  }

  answer(body: JsonObject, text: string = JSON.stringify(body)): void {
    if (this.#stream === undefined) this.#answers.push(text)
    else this.#stream.send(text, { type: 'message' })
    this.#settle()
  }

  abandon(): void {
    this.#settle()
  }

  #startStream(): EventStream {
    if (this.#stream !== undefined) return this.#stream
    this.#stream = this.#options.openStream()
    for (const text of this.#answers) this.#stream.send(text, { type: 'message' })
    return this.#stream
  }

  #settle(): void {
    if (--this.#open > 0) return
    const { response, isBatch, acceptsStream } = this.#options
    if (this.#stream !== undefined) this.#stream.end()
    else if (this.#answers.length > 0)
      sendJson(response, 200, isBatch ? `[${this.#answers.join(',')}]` : this.#answers.join(''))
    // All cancelled: a stream that ends without an answer is the honest form of "none will come".
    else if (acceptsStream) this.#options.openStream().end()
    else sendEmpty(response, 202)
  }
}
