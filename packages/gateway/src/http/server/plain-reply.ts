import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpResponse } from './exchange.ts'
import type { PlainRequest } from './plain-request.ts'

/** Characters that could end a line or are not allowed in a header. */
const NOT_IN_A_VALUE = /[^\t -~]/

export interface PlainReplyOptions {
  request: PlainRequest
  /** The header lines that say how long the connection is kept. */
  keepAlive: string
  /** The whole answer was handed to the socket. `isLast`: the connection has to be closed. */
  onDone: (isLast: boolean) => void
}

/** The answer to a request that the gateway read itself. It takes one write when the answer is complete at once. */
export class PlainReply implements HttpResponse {
  readonly req: PlainRequest
  readonly socket: Socket
  readonly #options: PlainReplyOptions
  #head: string | undefined
  #isChunked = false
  #isLast = false
  #isCorked = false
  /** Its client stopped reading before the whole answer was written. */
  #isCut = false
  #onClose: (() => void)[] | undefined
  statusCode = 200
  headersSent = false
  destroyed = false
  writableEnded = false
  writableFinished = false

  constructor(options: PlainReplyOptions) {
    this.req = options.request
    this.socket = options.request.socket
    this.#options = options
  }

  get writableLength(): number {
    return this.socket.writableLength
  }

  writeHead(status: number, headers: Readonly<Record<string, string | number>> = {}): this {
    if (this.headersSent) throw new Error('the head of this answer was written before')
    let lines = ''
    let hasLength = false
    let keepAlive = this.#options.keepAlive
    for (const name of Object.keys(headers)) {
      const value = String(headers[name])
      if (NOT_IN_A_VALUE.test(value)) throw new Error(`the header ${name} cannot have this value`)
      if (name === 'content-length') hasLength = true
      if (name === 'connection') keepAlive = ''
      lines += `${name}: ${value}\r\n`
    }
    this.headersSent = true
    this.statusCode = status
    this.#isChunked = !hasLength
    this.#isLast = keepAlive === ''
    this.#head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines}Date: ${now()}\r\n${keepAlive}`
    return this
  }

  flushHeaders(): void {
    if (!this.headersSent) this.writeHead(this.statusCode)
    this.#send(this.#takeHead('Transfer-Encoding: chunked'))
  }

  cork(): void {
    if (this.#isCorked) return
    this.#isCorked = true
    this.socket.cork()
  }

  write(data: string | Buffer): boolean {
    if (this.writableEnded || this.destroyed) return false
    if (!this.headersSent) this.writeHead(this.statusCode)
    const head = this.#takeHead('Transfer-Encoding: chunked')
    if (!this.#isChunked) return this.#send(head, data)
    const length = typeof data === 'string' ? Buffer.byteLength(data) : data.length
    // An empty chunk would be the last one.
    if (length === 0) return this.#send(head)
    const start = `${head}${length.toString(16)}\r\n`
    return typeof data === 'string' ? this.#send(start, `${data}\r\n`) : this.#send(start, data, '\r\n')
  }

  end(data: string | Buffer = ''): this {
    if (this.writableEnded || this.destroyed) return this
    if (!this.headersSent) this.writeHead(this.statusCode)
    // The length of an answer that is complete at once is known.
    if (this.#head !== undefined) this.#send(this.#takeHead(`Content-Length: ${Buffer.byteLength(data)}`), data)
    else {
      if (data.length > 0) this.write(data)
      if (this.#isChunked) this.#send('0\r\n\r\n')
    }
    this.writableEnded = true
    if (this.#isCorked) this.socket.uncork()
    if (this.socket.writableLength === 0) this.#finish()
    else this.socket.write('', (error) => this.#finish(error))
    this.#options.onDone(this.#isLast)
    return this
  }

  destroy(): this {
    this.socket.destroy()
    return this
  }

  once(_event: 'close', listener: () => void): this {
    const listeners = (this.#onClose ??= [])
    listeners.push(listener)
    return this
  }

  /** Sends nothing more. */
  close(): void {
    if (this.destroyed) return
    this.destroyed = true
    for (const listener of this.#onClose ?? []) listener()
    this.#onClose = undefined
  }

  #finish(error?: Error | null): void {
    this.writableFinished = !error && !this.#isCut && !this.socket.destroyed
    // Not before the code that ends it has finished.
    if (this.#onClose === undefined) this.destroyed = true
    else process.nextTick(() => this.close())
  }

  /** Call it once. Adds what it says about the body unless the headers already do. */
  #takeHead(ofBody: string): string {
    const head = this.#head
    if (head === undefined) return ''
    this.#head = undefined
    return this.#isChunked ? `${head}${ofBody}\r\n\r\n` : `${head}\r\n`
  }

  #send(head: string, data: string | Buffer = '', tail = ''): boolean {
    const { socket } = this
    if (!socket.writable) {
      this.#isCut = true
      return false
    }
    if (typeof data === 'string') return socket.write(head + data)
    socket.cork()
    if (head !== '') socket.write(head)
    if (data.length > 0) socket.write(data)
    if (tail !== '') socket.write(tail)
    socket.uncork()
    return !socket.writableNeedDrain
  }
}

let dateText = ''
let dateUntil = 0

/** The time of the Date header, which has no fractions of a second. */
function now(): string {
  const time = Date.now()
  if (time >= dateUntil) {
    dateText = new Date(time).toUTCString()
    dateUntil = time - (time % 1000) + 1000
  }
  return dateText
}
