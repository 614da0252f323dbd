import type { HttpResponse } from './exchange.ts'
import { lookForUnread } from './unread-bytes.ts'

/** One open text/event-stream to a client. A client that does not read loses this stream and nothing else. */
export class EventStream {
  readonly #response: HttpResponse
  readonly #maxQueuedBytes: number
  readonly #mayHear: (text: string) => boolean
  /** Events of this turn of the event loop. */
  #gathered = ''

  /** A message that the client may not see counts as sent. */
  constructor(
    response: HttpResponse,
    maxQueuedBytes: number,
    headers: Readonly<Record<string, string>> = {},
    mayHear: (text: string) => boolean = () => true,
  ) {
    this.#response = response
    this.#mayHear = mayHear
    this.#maxQueuedBytes = maxQueuedBytes
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...headers,
    })
    response.flushHeaders()
  }

  get isOpen(): boolean {
    // The response learns a little later than the socket that the socket has ended. What is written in between is lost.
    return !this.#response.destroyed && !this.#response.writableEnded && this.#response.socket?.destroyed !== true
  }

  /** Whether the client has read everything. */
  get isFlushed(): boolean {
    return this.#response.writableFinished || (this.isOpen && this.#unread === 0)
  }

  /** `data` is one line. Returns false when the stream is gone, or was cut because the client is too slow. */
  send(data: string, event: { id?: string; type?: string; retryMs?: number } = {}): boolean {
    if (!this.#mayHear(data)) return this.isOpen
    const type = event.type === undefined ? '' : `event: ${event.type}\n`
    const id = event.id === undefined ? '' : `id: ${event.id}\n`
    const retry = event.retryMs === undefined ? '' : `retry: ${event.retryMs}\n`
    return this.#write(`${type}${id}${retry}data: ${data}\n\n`)
  }

  keepAlive(): void {
    this.#write(': \n\n')
  }

  end(): void {
    if (!this.isOpen) return
    // Otherwise the end would overtake what was gathered.
    this.#flush()
    this.#response.end()
  }

  #write(text: string): boolean {
    if (!this.isOpen) return false
    // Events of one turn of the event loop go in one write: a busy server sends many answers at a time.
    if (this.#gathered === '') process.nextTick(() => this.#flush())
    this.#gathered += text
    if (this.#unread <= this.#maxQueuedBytes) return true
    this.#response.destroy()
    return false
  }

  get #unread(): number {
    return this.#response.writableLength + this.#gathered.length
  }

  #flush(): void {
    const text = this.#gathered
    this.#gathered = ''
    if (text === '' || !this.isOpen) return
    this.#response.write(text)
    lookForUnread(this.#response)
  }
}
