import { randomBytes } from 'node:crypto'
import type { EventStream } from '../http/server/event-stream.ts'
import type { Keeper, KeptBytes } from './kept-bytes.ts'

/** How much that already reached a stream is kept for resuming. */
const RESUME_BYTES = 1024 * 1024

interface Event {
  sequence: number
  text: string
}

/**
 * Messages for one client that belong to none of its calls. They go to its open stream. Without one they wait, and the
 * latest stay for a client that comes back with Last-Event-ID. The outbox is bounded: the oldest go first, and a client
 * that comes back for them is told so.
 */
export class Outbox implements Keeper {
  readonly #maxMessages: number
  readonly #maxBytes: number
  /** Ids of another daemon's events must not be mistaken for ours. */
  readonly #epoch = randomBytes(6).toString('hex')
  readonly #kept: Event[] = []
  #sequence = 0
  #sent = 0
  /** The newest message that was given up. */
  #dropped = 0
  bytes = 0
  /** Counts for all clients together. */
  whole: KeptBytes | undefined
  #stream: EventStream | undefined
  #isClosed = false

  constructor(limits: { maxQueuedMessages: number; maxQueuedBytes: number }) {
    this.#maxMessages = limits.maxQueuedMessages
    this.#maxBytes = limits.maxQueuedBytes
  }

  get stream(): EventStream | undefined {
    return this.#stream?.isOpen ? this.#stream : undefined
  }

  get isSpare(): boolean {
    const [oldest] = this.#kept
    return oldest !== undefined && oldest.sequence <= this.#sent
  }

  push(text: string): void {
    // The session has ended, so nothing would ever release these bytes.
    if (this.#isClosed) return
    const event = { sequence: ++this.#sequence, text }
    this.#kept.push(event)
    this.#deliver(event)
    this.#count(text.length)
    this.#trim()
  }

  /** Whether everything that came after this event is still here. */
  canResume(lastEventId: string): boolean {
    return (this.#sequenceOf(lastEventId) ?? Infinity) >= this.#dropped
  }

  /** A newer stream replaces the older one: a client whose connection broke unnoticed must not be locked out. */
  attach(stream: EventStream, lastEventId: string | undefined): void {
    this.#stream?.end()
    this.#stream = stream
    const from = this.#sequenceOf(lastEventId) ?? this.#sent
    for (const event of this.#kept.slice()) if (event.sequence > from) this.#deliver(event)
    this.#trim()
  }

  /** A stream that has ended would hold the memory of its connection for as long as the session is kept. */
  letGo(): void {
    if (this.#stream?.isOpen === false) this.#stream = undefined
  }

  giveUp(): void {
    const oldest = this.#kept.shift()
    if (oldest === undefined) return
    this.#dropped = oldest.sequence
    this.#count(-oldest.text.length)
  }

  /** Drops everything that was kept. */
  empty(): void {
    this.#dropped = this.#kept.at(-1)?.sequence ?? this.#dropped
    this.#kept.length = 0
    this.#count(-this.bytes)
  }

  close(): void {
    this.#isClosed = true
    this.#stream?.end()
    this.empty()
  }

  /** Undefined for the id of an event that is not ours. */
  #sequenceOf(eventId: string | undefined): number | undefined {
    const [epoch, sequence] = eventId?.split('-') ?? []
    return epoch === this.#epoch && sequence !== undefined ? Number(sequence) : undefined
  }

  #count(change: number): void {
    this.bytes += change
    this.whole?.count(this, change)
  }

  #deliver(event: Event): void {
    if (this.#stream?.send(event.text, { id: `${this.#epoch}-${event.sequence}`, type: 'message' })) {
      this.#sent = Math.max(this.#sent, event.sequence)
    }
  }

  #trim(): void {
    for (let oldest = this.#kept[0]; oldest !== undefined; oldest = this.#kept[0]) {
      const isOver = this.#kept.length > this.#maxMessages || this.bytes > this.#maxBytes
      if (!isOver && !(this.isSpare && this.bytes > RESUME_BYTES)) return
      this.giveUp()
    }
  }
}
