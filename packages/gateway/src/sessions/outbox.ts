import { randomBytes } from 'node:crypto'
import type { EventStream } from '../http/event-stream.ts'

/** What already reached a stream is kept for resuming up to so much. */
const RESUME_BYTES = 1024 * 1024

interface Event {
  sequence: number
  text: string
}

/**
 * Messages for one client that belong to none of its calls. They go to its open stream; without one they wait, and the
 * latest stay for a client that comes back with Last-Event-ID. Bounded: the oldest go first.
 */
export class Outbox {
  readonly #maxMessages: number
  readonly #maxBytes: number
  /** Ids of a former daemon's events must not be taken for ours. */
  readonly #epoch = randomBytes(6).toString('hex')
  readonly #kept: Event[] = []
  #bytes = 0
  #sequence = 0
  #sent = 0
  #stream: EventStream | undefined

  constructor(limits: { maxQueuedMessages: number; maxQueuedBytes: number }) {
    this.#maxMessages = limits.maxQueuedMessages
    this.#maxBytes = limits.maxQueuedBytes
  }

  get stream(): EventStream | undefined {
    return this.#stream?.isOpen ? this.#stream : undefined
  }

  push(text: string): void {
    const event = { sequence: ++this.#sequence, text }
    this.#kept.push(event)
    this.#bytes += text.length
    this.#deliver(event)
    this.#trim()
  }

  /** A newer stream takes the place of the older: a client whose connection broke unnoticed must not be locked out. */
  attach(stream: EventStream, lastEventId: string | undefined): void {
    this.#stream?.end()
    this.#stream = stream
    const [epoch, seen] = lastEventId?.split('-') ?? []
    const from = epoch === this.#epoch && seen !== undefined ? Number(seen) : this.#sent
    for (const event of this.#kept.slice()) if (event.sequence > from) this.#deliver(event)
    this.#trim()
  }

  close(): void {
    this.#stream?.end()
    this.#kept.length = 0
    this.#bytes = 0
  }

  #deliver(event: Event): void {
    if (this.#stream?.send(event.text, { id: `${this.#epoch}-${event.sequence}`, type: 'message' })) {
      this.#sent = Math.max(this.#sent, event.sequence)
    }
  }

  #trim(): void {
    for (let oldest = this.#kept[0]; oldest !== undefined; oldest = this.#kept[0]) {
      const isOver = this.#kept.length > this.#maxMessages || this.#bytes > this.#maxBytes
      const isSpare = oldest.sequence <= this.#sent && this.#bytes > RESUME_BYTES
      if (!isOver && !isSpare) return
      this.#kept.shift()
      this.#bytes -= oldest.text.length
    }
  }
}
