import type { Socket } from 'node:net'
import { addPart, joined } from '../../messages/parts.ts'
import { Stillness, type Connection } from './connections.ts'
import type { Answer } from './exchange.ts'
import { endOfHead, readPlainHead, type PlainHead } from './plain-head.ts'
import { PlainReply } from './plain-reply.ts'
import { PlainRequest } from './plain-request.ts'

export interface PlainConnectionOptions {
  answer: Answer
  /** As it stands in the answers. */
  keepAlive: string
  /** It is not ours to read: Node is to go on with these bytes. */
  onOther: (socket: Socket, bytes: Buffer) => void
}

/** More than this of further requests is left to the kernel, which then does not tell when the client goes. */
const MAX_EARLY_BYTES = 64 * 1024
const TOO_LATE = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'

/**
 * A client's connection as long as plain POSTs come over it, one after the other. With the first request that is anything
 * else, Node gets the connection for good.
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
  /** Came before its turn, which comes with the end of the answer before it. */
  #early: Buffer[] = []
  #earlyBytes = 0
  #isReading = false
  readonly #stillness: Stillness
  hasAsked = false

  constructor(socket: Socket, options: PlainConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.#stillness = new Stillness(socket)
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
  }

  get since(): number {
    return this.#stillness.since
  }

  get isWaiting(): boolean {
    return this.#reply === undefined || this.isIncomplete || this.#isHeldBack
  }

  /** All was answered that it asked, though perhaps not yet read. */
  get isAnswered(): boolean {
    return this.#request === undefined
  }

  get isIdle(): boolean {
    return this.isAnswered && this.#socket.writableLength === 0
  }

  /** A part of a request has come. */
  get isIncomplete(): boolean {
    return this.#request?.complete === false
  }

  /**
   * The rest of a request is not awaited any longer, nor whether its client reads that. A client that has sent nothing gets no 408: it would
   * take it for the answer to a request that it sends at that moment.
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

  /** Whoever does not read answers gets none to further questions. */
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
    this.#stillness.begin()
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

  /** Answered and read to its end: the next one. */
  #goOn(): void {
    if (this.#reply !== undefined || this.#request?.complete !== true) return
    this.#request = undefined
    this.#stillness.begin()
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
    // What came early may have paused it.
    socket.resume()
  }

  #closed(): void {
    this.#request?.abort()
    this.#reply?.close()
  }
}
