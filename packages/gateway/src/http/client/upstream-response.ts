import type { IncomingHttpHeaders } from 'node:http'
import { addPart, joined } from '../../messages/parts.ts'

/** What may wait for a reader; then the server has to. */
const MAX_WAITING_BYTES = 64 * 1024
/** A body that nobody wants is read for the sake of its connection, so far and so long. */
const MAX_UNWANTED_BYTES = 4 * 1024 * 1024
const MAX_UNWANTED_MS = 10_000

/** The way back to the connection that an answer comes over. */
export interface AnswerControl {
  readonly paused: boolean
  pause(): void
  resume(): void
  abort(reason: Error): void
}

/**
 * A server's answer: its head, then its body as it comes. Written on the bare handler of the HTTP client: streams and their
 * iterators cost more than all else in passing an answer on.
 */
export class UpstreamResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly #controller: AnswerControl
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #onChunk: ((chunk: Buffer) => void) | undefined
  /** Of whoever reads. */
  #fault: Error | undefined
  #end: { error?: Error } | undefined
  #onEnd: ((error?: Error) => void) | undefined

  constructor(status: number, headers: IncomingHttpHeaders, controller: AnswerControl) {
    this.status = status
    this.headers = headers
    this.#controller = controller
  }

  get isOk(): boolean {
    return this.status >= 200 && this.status < 300
  }

  /** Resolves at its end, and rejects when the connection breaks or `onChunk` throws. Once. */
  read(onChunk: (chunk: Buffer) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onEnd = (error) => (error === undefined ? resolve() : reject(error))
      this.#onChunk = onChunk
      const waiting = this.#waiting
      this.#waiting = []
      for (const chunk of waiting) this.take(chunk)
      if (this.#fault !== undefined) reject(this.#fault)
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

  /** Nobody wants its body; the connection stays of use. */
  discard(): void {
    let size = 0
    const read = this.read((chunk) => {
      size += chunk.length
      if (size > MAX_UNWANTED_BYTES) throw new Error('nobody wants so much of it')
    })
    const timer = this.#end === undefined ? setTimeout(() => this.destroy(), MAX_UNWANTED_MS).unref() : undefined
    // However it ends.
    void read.catch(() => undefined).then(() => clearTimeout(timer))
  }

  destroy(): void {
    this.#controller.abort(new Error('nobody reads the rest of this answer'))
  }

  take(chunk: Buffer): void {
    if (this.#onChunk === undefined) {
      addPart(this.#waiting, chunk)
      this.#waitingBytes += chunk.length
      if (this.#waitingBytes > MAX_WAITING_BYTES) this.#controller.pause()
      return
    }
    if (this.#fault !== undefined) return
    try {
      this.#onChunk(chunk)
    } catch (error) {
      this.#fault = error instanceof Error ? error : new Error(String(error))
      this.end(this.#fault)
      this.#controller.abort(new Error('this answer is not read any further'))
    }
  }

  end(error?: Error): void {
    if (this.#end !== undefined) return
    this.#end = error === undefined ? {} : { error }
    this.#onEnd?.(error)
  }
}
