import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { addPart } from '../../messages/parts.ts'
import type { PlainHead } from './plain-head.ts'
import type { Body, BodyBounds } from './body.ts'

/** A POST whose head the gateway read itself. Its body is read from the connection on demand. */
export class PlainRequest {
  readonly method = 'POST'
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: string[]
  readonly socket: Socket
  readonly #bodyBytes: number
  #parts: Buffer[] = []
  #missing: number
  #onBody: ((body: Body) => void) | undefined
  #hasRoom: BodyBounds['hasRoom']
  #isUnwanted = false
  /** Its client disconnected before the whole request arrived or before it was answered. */
  destroyed = false

  constructor(head: PlainHead, socket: Socket) {
    this.url = head.url
    this.headers = head.headers
    this.rawHeaders = head.rawHeaders
    this.socket = socket
    this.#bodyBytes = head.bodyBytes
    this.#missing = head.bodyBytes
  }

  /** Its whole body has arrived. */
  get complete(): boolean {
    return this.#missing === 0
  }

  /** Like `readBody`. */
  readBody({ maxBytes, hasRoom }: BodyBounds, onBody: (body: Body) => void): void {
    if (this.destroyed) return onBody('aborted')
    // The rest stays in the kernel until the connection is closed with the answer.
    if (this.#bodyBytes > maxBytes) return onBody('too-large')
    if (this.complete) return onBody(this.#whole())
    this.#onBody = onBody
    this.#hasRoom = hasRoom
    this.socket.resume()
  }

  /** Takes its own part of the bytes from `from` on. Returns where the rest begins. */
  take(bytes: Buffer, from: number): number {
    const end = Math.min(bytes.length, from + this.#missing)
    if (end === from) return end
    this.#missing -= end - from
    if (this.#isUnwanted) return end
    // With the last part the request is complete, and is weighed as a complete request.
    if (!this.complete && this.#hasRoom?.(this.#bodyBytes - this.#missing) === false) {
      const onBody = this.#onBody
      this.#onBody = undefined
      this.discard()
      onBody?.('no-room')
      return end
    }
    addPart(this.#parts, bytes.subarray(from, end))
    if (!this.complete) {
      if (this.#onBody === undefined) this.socket.pause()
      return end
    }
    this.#onBody?.(this.#whole())
    return end
  }

  /** It has been answered, so the rest of its body is not read. */
  discard(): void {
    this.#isUnwanted = true
    this.#parts = []
    if (!this.complete) this.socket.resume()
  }

  abort(): void {
    this.destroyed = true
    this.#parts = []
    if (!this.complete) this.#onBody?.('aborted')
  }

  #whole(): readonly Buffer[] {
    const parts = this.#parts
    this.#parts = []
    return parts
  }
}
