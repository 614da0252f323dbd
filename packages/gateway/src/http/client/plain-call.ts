import type { AnswerHead } from './answer-head.ts'
import type { OpenCall } from './calls-of-signals.ts'
import type { Turns } from '../../messages/turns.ts'
import { type AnswerControl, UpstreamResponse } from './upstream-response.ts'

export interface PlainCallOptions {
  /** The open calls of the same signal. */
  open: Set<PlainCall>
  resolve: (response: UpstreamResponse) => void
  reject: (error: Error) => void
  isRepeatable: boolean
  /** The turns of all answers of the server. */
  turns: Turns
  /** Sends the request on a new connection. */
  askOnNewConnection: (call: PlainCall) => void
}

/** The connection that carries a call. */
interface CallLink {
  readonly isPaused: boolean
  ask(call: PlainCall, message: string | Buffer, encoding: BufferEncoding): void
  pause(): void
  resume(): void
  drop(): void
}

/** One request to a plain server, and its answer. */
export class PlainCall implements AnswerControl, OpenCall {
  readonly #options: PlainCallOptions
  #message: string | Buffer
  readonly #encoding: BufferEncoding
  #link: CallLink | undefined
  #response: UpstreamResponse | undefined
  isOver = false

  /** The message is the request as it is written to the socket. */
  constructor(message: string | Buffer, encoding: BufferEncoding, options: PlainCallOptions) {
    this.#message = message
    this.#encoding = encoding
    this.#options = options
    options.open.add(this)
  }

  get paused(): boolean {
    return this.#link?.isPaused === true
  }

  pause(): void {
    this.#link?.pause()
  }

  resume(): void {
    this.#link?.resume()
  }

  abort(reason: Error): void {
    this.#link?.drop()
    this.#settle()
    this.release()
    if (this.#response === undefined) this.#options.reject(reason)
    else this.#response.stop(reason)
  }

  release(): void {
    this.#options.open.delete(this)
  }

  giveUp(reason: Error): void {
    this.abort(reason)
  }

  askOn(link: CallLink): void {
    this.#link = link
    link.ask(this, this.#message, this.#encoding)
  }

  onHead(head: AnswerHead): void {
    // It is not sent again, and a large one must not stay in memory until a long answer ends.
    this.#message = ''
    this.#response = new UpstreamResponse(head, this, this.#options.turns)
    this.#options.resolve(this.#response)
  }

  onData(bytes: Buffer): void {
    this.#response?.take(bytes)
  }

  onEnd(): void {
    this.#settle()
    this.#response?.end()
  }

  /** The server closed a kept connection, before it got the whole request or at the same moment. */
  onBroken(error: Error, { isUnsent, isUnseen }: { isUnsent: boolean; isUnseen: boolean }): void {
    if (this.isOver) return
    if (isUnsent || (isUnseen && this.#options.isRepeatable)) this.#options.askOnNewConnection(this)
    else this.fail(error)
  }

  fail(error: Error): void {
    this.#settle()
    // A request whose answer has begun is not sent again.
    if (this.#response === undefined) this.#reject(error)
    else this.#response.end(error)
  }

  #reject(error: Error): void {
    this.release()
    this.#options.reject(error)
  }

  #settle(): void {
    this.isOver = true
    this.#link = undefined
  }
}
