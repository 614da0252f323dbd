import type { Socket } from 'node:net'
import { addPart, joined } from '../../messages/parts.ts'
import { LastActivity, type Connection } from './connections.ts'
import type { Answer } from './exchange.ts'
import { endOfHead, readPlainHead, type PlainHead } from './plain-head.ts'
import { PlainReply } from './plain-reply.ts'
import { PlainRequest } from './plain-request.ts'

export interface PlainConnectionOptions {
  answer: Answer
  /** The Keep-Alive header lines as they appear in the answers. */
  keepAlive: string
  /** The gateway does not read this request: Node continues with these bytes. */
  onOther: (socket: Socket, bytes: Buffer) => void
}

/** Further requests beyond this size stay in the kernel, which then does not tell when the client disconnects. */
const MAX_EARLY_BYTES = 64 * 1024
const TOO_LATE = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'

/**
 * A client's connection as long as plain POSTs come over it, one after the other. The first request of any other kind
 * hands the connection to Node for good.
 */
export class PlainConnection implements Connection {
  readonly #socket: Socket
  readonly #options: PlainConnectionOptions
  readonly #onData = (chunk: Buffer) => this.#receive(chunk)
  readonly #onEnd = () => this.#socket.end()
  readonly #onError = () => this.#socket.destroy()
  readonly #onClose = () => this.#closed()
  #head: PlainHead | undefined
  #request: PlainRequest | undefined
  #reply: PlainReply | undefined
  /** Bytes that arrived early. Their turn comes when the answer before them has ended. */
  #early: Buffer[] = []
  #earlyBytes = 0
  #isReading = false
  readonly #lastActivity: LastActivity
  hasAsked = false

  constructor(socket: Socket, options: PlainConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.#lastActivity = new LastActivity(socket)
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
  }

  get since(): number {
    return this.#lastActivity.at
  }

  get isWaiting(): boolean {
    return this.#reply === undefined || this.isIncomplete || this.#isHeldBack
  }

  /** Everything it asked was answered, though perhaps not yet read. */
  get isAnswered(): boolean {
    return this.#request === undefined
  }

  get isIdle(): boolean {
    return this.isAnswered && this.#socket.writableLength === 0
  }

  /** Part of a request has arrived. */
  get isIncomplete(): boolean {
    return this.#request?.complete === false
  }

  /**
   * Stops waiting for the rest of a request, and for its client to read that. A client that has sent nothing gets no
   * 408: it would mistake it for the answer to a request that it sends at that moment.
   */
  refuseLate(): void {
    if (this.isIncomplete && this.#reply?.headersSent !== true && this.#socket.writable) this.#socket.write(TOO_LATE)
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    if (this.#earlyBytes > 0) this.#hold(chunk)
    else this.#read(chunk)
  }

  /** A loop, not a recursion: one chunk may hold thousands of requests that are answered at once. */
  #read(bytes: Buffer): void {
    this.#isReading = true
    let at = 0
    while (at < bytes.length) {
      if (this.#request !== undefined) {
        if (this.#request.complete) break
        at = this.#request.take(bytes, at)
        this.#goOn()
        continue
      }
      if (!this.#mayBegin()) break
      const next = this.#begin(bytes, at)
      if (next === -1) return
      at = next
    }
    this.#isReading = false
    if (at < bytes.length) this.#hold(bytes.subarray(at))
  }

  #hold(bytes: Buffer): void {
    addPart(this.#early, bytes)
    this.#earlyBytes += bytes.length
    if (this.#isHeldBack) this.#socket.pause()
  }

  get #isHeldBack(): boolean {
    return this.#earlyBytes > MAX_EARLY_BYTES
  }

  /** A client that does not read its answers gets no further ones. */
  #mayBegin(): boolean {
    if (!this.#socket.writableNeedDrain) return true
    this.#socket.once('drain', () => this.#readEarly())
    return false
  }

  #begin(bytes: Buffer, at: number): number {
    const end = endOfHead(bytes, at)
    const head = end === -1 ? undefined : readPlainHead(bytes, at, end, this.#head)
    if (head === undefined) {
      this.#leave(bytes.subarray(at))
      return -1
    }
    this.#head = head
    this.hasAsked = true
    this.#lastActivity.touch()
    const request = new PlainRequest(head, this.#socket)
    const next = request.take(bytes, end)
    const reply = new PlainReply({
      request,
      keepAlive: this.#options.keepAlive,
      onDone: (isLast) => this.#answered(request, isLast),
    })
    this.#request = request
    this.#reply = reply
    this.#options.answer(request, reply)
    return next
  }

  #answered(request: PlainRequest, isLast: boolean): void {
    this.#reply = undefined
    if (isLast) return this.#socket.destroySoon()
    if (!request.complete) request.discard()
    this.#goOn()
  }

  /** The answer was read to its end: continue with the next request. */
  #goOn(): void {
    if (this.#reply !== undefined || this.#request?.complete !== true) return
    this.#request = undefined
    this.#lastActivity.touch()
    if (!this.#isReading && this.#earlyBytes > 0) this.#readEarly()
  }

  #readEarly(): void {
    if (this.#socket.destroyed) return
    const bytes = joined(this.#early)
    const wasHeldBack = this.#isHeldBack
    this.#early = []
    this.#earlyBytes = 0
    this.#read(bytes)
    if (wasHeldBack && !this.#isHeldBack && !this.#isReading) this.#socket.resume()
  }

  #leave(bytes: Buffer): void {
    const socket = this.#socket
    socket.off('data', this.#onData)
    socket.off('end', this.#onEnd)
    socket.off('error', this.#onError)
    socket.off('close', this.#onClose)
    this.#options.onOther(socket, bytes)
    // Bytes that arrived early may have paused it.
    socket.resume()
  }

  #closed(): void {
    this.#request?.abort()
    this.#reply?.close()
  }
}
