import type { IncomingHttpHeaders } from 'node:http'
import { addPart, joined } from '../../messages/parts.ts'
import type { Turns } from '../../messages/turns.ts'

/** Bytes that may wait for a reader. Beyond that the server has to wait. */
const MAX_WAITING_BYTES = 64 * 1024
/** An unwanted body is read to keep its connection usable, up to this size and time. */
const MAX_UNWANTED_BYTES = 4 * 1024 * 1024
const MAX_UNWANTED_MS = 10_000

/** Controls the connection that an answer comes over. */
export interface AnswerControl {
  readonly paused: boolean
  pause(): void
  resume(): void
  abort(reason: Error): void
  /** The answer has been read, or never will be. */
  release(): void
}

/** Returns what it leaves for the next turn. */
type ReadInTurns = (chunk: Buffer, mayGoOn: () => boolean) => Buffer | undefined

/**
 * A server's answer: its head, then its body as it arrives. Built on the bare handler of the HTTP client: streams and
 * their iterators cost more than everything else in passing an answer on.
 */
export class UpstreamResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly #controller: AnswerControl
  readonly #turns: Turns
  /** Kept for a reader that is yet to come, or whose turn is over. */
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #onChunk: ReadInTurns | undefined
  /** An error thrown by the reader. */
  #fault: Error | undefined
  #end: { error?: Error } | undefined
  #onEnd: ((error?: Error) => void) | undefined

  constructor(
    { status, headers }: Pick<UpstreamResponse, 'status' | 'headers'>,
    controller: AnswerControl,
    turns: Turns,
  ) {
    this.status = status
    this.headers = headers
    this.#controller = controller
    this.#turns = turns
  }

  get isOk(): boolean {
    return this.status >= 200 && this.status < 300
  }

  /** Resolves at the end of the body. Rejects when the connection breaks or `onChunk` throws. Call it once. */
  read(onChunk: (chunk: Buffer) => void): Promise<void> {
    return this.readInTurns((chunk) => {
      onChunk(chunk)
      return undefined
    })
  }

  /** The same for bodies that arrive as many small pieces. The server has to wait while others have their turn. */
  readInTurns(onChunk: ReadInTurns): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onEnd = (error) => {
        this.#controller.release()
        if (error === undefined) resolve()
        else reject(error)
      }
      this.#onChunk = onChunk
      const waiting = this.#waiting
      this.#waiting = []
      for (const chunk of waiting) this.take(chunk)
      if (this.#waiting.length > 0) return
      if (this.#fault !== undefined) this.#onEnd(this.#fault)
      else if (this.#end !== undefined) this.#onEnd(this.#end.error)
      else if (this.#controller.paused) this.#controller.resume()
    })
  }

  text(maxBytes: number): Promise<string> {
    const chunks: Buffer[] = []
    let size = 0
    const read = this.read((chunk) => {
      size += chunk.length
      if (size > maxBytes) throw new Error(`the answer is over the limit of ${maxBytes} bytes`)
      addPart(chunks, chunk)
    })
    return read.then(() => joined(chunks).toString('utf8'))
  }

  /** Drops the body and keeps the connection usable. */
  discard(): void {
    let size = 0
    const read = this.read((chunk) => {
      size += chunk.length
      if (size > MAX_UNWANTED_BYTES) throw new Error('the unwanted body is too large')
    })
    const timer = this.#end === undefined ? setTimeout(() => this.destroy(), MAX_UNWANTED_MS).unref() : undefined
    // However it ends.
    void read.catch(() => undefined).then(() => clearTimeout(timer))
  }

  destroy(): void {
    this.#controller.abort(new Error('the rest of this answer is not read'))
  }

  take(chunk: Buffer): void {
    const onChunk = this.#onChunk
    if (onChunk === undefined || this.#waiting.length > 0) {
      addPart(this.#waiting, chunk)
      this.#waitingBytes += chunk.length
      if (onChunk === undefined && this.#waitingBytes > MAX_WAITING_BYTES) this.#controller.pause()
      return
    }
    const rest = this.#turns.work((mayGoOn) => this.#read(onChunk, chunk, mayGoOn))
    if (rest === undefined) return
    this.#waiting.push(rest)
    this.#controller.pause()
    this.#turns.later((mayGoOn) => this.#goOn(onChunk, mayGoOn))
  }

  /** Nothing follows what has arrived, which is still read. */
  end(error?: Error): void {
    if (this.#end !== undefined) return
    this.#end = error === undefined ? {} : { error }
    if (this.#waiting.length === 0) this.#onEnd?.(error)
  }

  /** Nothing more is read, not even what has arrived. */
  stop(reason: Error): void {
    const isOver = this.#end !== undefined && this.#waiting.length === 0
    this.#fault ??= reason
    this.#waiting = []
    this.#end ??= { error: reason }
    if (!isOver) this.#onEnd?.(reason)
  }

  #read(onChunk: ReadInTurns, chunk: Buffer, mayGoOn: () => boolean): Buffer | undefined {
    if (this.#fault !== undefined) return undefined
    try {
      const rest = onChunk(chunk, () => this.#fault === undefined && mayGoOn())
      return this.#fault === undefined ? rest : undefined
    } catch (error) {
      this.stop(error instanceof Error ? error : new Error(String(error)))
      this.#controller.abort(new Error('this answer is not read any further'))
      return undefined
    }
  }

  #goOn(onChunk: ReadInTurns, mayGoOn: () => boolean): boolean {
    for (let chunk = this.#waiting[0]; chunk !== undefined; chunk = this.#waiting[0]) {
      const rest = this.#read(onChunk, chunk, mayGoOn)
      if (this.#fault !== undefined) return true
      if (rest === undefined) this.#waiting.shift()
      else this.#waiting[0] = rest
      if (this.#waiting.length > 0 && !mayGoOn()) return false
    }
    if (this.#end === undefined) this.#controller.resume()
    else this.#onEnd?.(this.#end.error)
    return true
  }
}
