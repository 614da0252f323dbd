import type { Socket } from 'node:net'
import type { Connection } from './connections.ts'
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

const NOTHING = Buffer.alloc(0)
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
  /** Came before its turn. */
  #early: Buffer = NOTHING
  #isReading = false
  since = performance.now()
  hasAsked = false

  constructor(socket: Socket, options: PlainConnectionOptions) {
    this.#socket = socket
    this.#options = options
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
  }

  get isWaiting(): boolean {
    return this.#reply === undefined || this.isIncomplete
  }

  get isIdle(): boolean {
    return this.#request === undefined
  }

  /** A part of a request has come. */
  get isIncomplete(): boolean {
    return this.#request?.complete === false
  }

  /** The rest of a request is not awaited any longer, nor whether its client reads that. */
  refuseLate(): void {
    if (this.#reply?.headersSent !== true && this.#socket.writable) this.#socket.write(TOO_LATE)
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    const bytes = this.#early.length === 0 ? chunk : Buffer.concat([this.#early, chunk])
    this.#early = NOTHING
    this.#read(bytes)
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
    if (at === bytes.length) return
    // Its turn comes with the end of the answer before it; so long the kernel keeps what else comes.
    this.#early = bytes.subarray(at)
    this.#socket.pause()
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
    this.since = performance.now()
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
    this.since = performance.now()
    if (!this.#isReading && this.#early.length > 0) this.#readEarly()
  }

  #readEarly(): void {
    if (this.#socket.destroyed) return
    const bytes = this.#early
    this.#early = NOTHING
    this.#read(bytes)
    if (this.#early.length === 0 && !this.#isReading) this.#socket.resume()
  }

  #leave(bytes: Buffer): void {
    const socket = this.#socket
    socket.off('data', this.#onData)
    socket.off('end', this.#onEnd)
    socket.off('error', this.#onError)
    socket.off('close', this.#onClose)
    this.#options.onOther(socket, bytes)
    // What came early has paused it.
    socket.resume()
  }

  #closed(): void {
    this.#request?.abort()
    this.#reply?.close()
  }
}
