import { randomBytes } from 'node:crypto'
import type { EventStream } from '../http/server/event-stream.ts'
import type { Keeper, KeptBytes } from './kept-bytes.ts'

/** How much that was already sent is kept for resuming. */
const RESUME_BYTES = 1024 * 1024

interface AnswerLimits {
  maxQueuedMessages: number
  maxQueuedBytes: number
  resumeMs: number
}

/**
 * The streams that answer one client's calls, for a client whose connection broke and who comes back for the rest.
 * Together they are bounded: the oldest events go first. Events of other clients never get here.
 */
export class AnswerStreams implements Keeper {
  readonly #limits: AnswerLimits
  /** Ids of another daemon's events, or of another client's, must not be mistaken for ours. */
  readonly #epoch = randomBytes(6).toString('hex')
  readonly #streams = new Map<number, AnswerStream>()
  #opened = 0
  #messages = 0
  #isClosed = false
  #timer: NodeJS.Timeout | undefined
  bytes = 0
  readonly #whole: KeptBytes | undefined

  /** `whole`: counts for all clients together. */
  constructor(limits: AnswerLimits, whole?: KeptBytes) {
    this.#limits = limits
    this.#whole = whole
  }

  open(): AnswerStream {
    const number = ++this.#opened
    const stream: AnswerStream = new AnswerStream(`${this.#epoch}-${number}`, {
      onKept: (text) => this.#keep(stream, text),
      onEnd: (isWanted) => this.#end(number, isWanted),
    })
    this.#streams.set(number, stream)
    return stream
  }

  /**
   * Attaches a new connection to the stream that had this event. Returns false when some of what follows it is no
   * longer kept.
   */
  resume(connection: () => EventStream, lastEventId: string): boolean {
    const [epoch, number, seen] = lastEventId.split('-')
    const stream = epoch === this.#epoch ? this.#streams.get(Number(number)) : undefined
    if (stream === undefined || Number(seen) < stream.dropped) return false
    stream.attach(connection(), Number(seen))
    return true
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const number of [...this.#streams.keys()]) this.#forget(number)
  }

  get isSpare(): boolean {
    for (const stream of this.#streams.values()) {
      const [oldest] = stream.kept
      if (oldest !== undefined) return stream.isSpare(oldest)
    }
    return false
  }

  giveUp(): void {
    for (const [number, stream] of this.#streams) {
      if (stream.kept.length === 0) continue
      this.#shift(stream)
      if (stream.kept.length === 0 && stream.endedAt !== undefined) this.#streams.delete(number)
      return
    }
  }

  #keep(stream: AnswerStream, text: string): void {
    // The session has ended: no client comes back for these bytes, and nothing would ever release them.
    if (this.#isClosed) return void stream.kept.splice(0)
    this.#messages++
    this.#count(text.length)
    this.#trim()
  }

  #count(change: number): void {
    this.bytes += change
    this.#whole?.count(this, change)
  }

  /**
   * Nobody can come back to a stream without an answer (its call was cancelled), or to one whose only event is the
   * answer.
   */
  #end(number: number, isWanted: boolean): void {
    if (!isWanted) return this.#forget(number)
    this.#trim()
    this.#timer ??= setTimeout(() => this.#forgetOld(), this.#limits.resumeMs).unref()
  }

  #forgetOld(): void {
    this.#timer = undefined
    const [now, { resumeMs }] = [Date.now(), this.#limits]
    let oldest = Infinity
    for (const [number, { endedAt }] of this.#streams) {
      if (endedAt !== undefined && endedAt + resumeMs <= now) this.#forget(number)
      else oldest = Math.min(oldest, endedAt ?? Infinity)
    }
    if (oldest !== Infinity) this.#timer = setTimeout(() => this.#forgetOld(), oldest + resumeMs - now).unref()
  }

  #forget(number: number): void {
    const stream = this.#streams.get(number)
    this.#streams.delete(number)
    for (const { text } of stream?.kept.splice(0) ?? []) this.#left(text)
    stream?.detach()
  }

  #trim(): void {
    const { maxQueuedMessages, maxQueuedBytes } = this.#limits
    for (const [number, stream] of this.#streams) {
      for (let oldest = stream.kept[0]; oldest !== undefined; oldest = stream.kept[0]) {
        const isOver = this.#messages > maxQueuedMessages || this.bytes > maxQueuedBytes
        if (!isOver && this.bytes <= RESUME_BYTES) return
        if (!isOver && !stream.isSpare(oldest)) break
        this.#shift(stream)
      }
      if (stream.kept.length === 0 && stream.endedAt !== undefined) this.#streams.delete(number)
    }
  }

  #shift(stream: AnswerStream): void {
    const oldest = stream.kept.shift()
    if (oldest === undefined) return
    stream.dropped = oldest.sequence
    this.#left(oldest.text)
  }

  #left(text: string): void {
    this.#messages--
    this.#count(-text.length)
  }
}

/** Whether an event with this id belongs to a call, and not to the client's own stream. */
export function isAnswerEvent(eventId: string): boolean {
  return /^[0-9a-f]+-\d+-\d+$/.test(eventId)
}

/** A client whose connection broke comes back after this time. Otherwise each library uses a time of its own. */
const RETRY_MS = 1000

interface Event {
  sequence: number
  text: string
}

interface StreamEvents {
  onKept: (text: string) => void
  onEnd: (isWanted: boolean) => void
}

/** What belongs to one POST, however many connections it takes to deliver it. */
export class AnswerStream {
  readonly #id: string
  readonly #events: StreamEvents
  #sequence = 0
  #sent = 0
  #isPrimed = false
  #connection: EventStream | undefined
  readonly kept: Event[] = []
  /** The newest event that is not kept any more. */
  dropped = 0
  endedAt: number | undefined

  constructor(id: string, events: StreamEvents) {
    this.#id = id
    this.#events = events
  }

  get isConnected(): boolean {
    return this.#connection?.isOpen === true
  }

  /** Gives the client an event id to come back with before there is anything to say. */
  prime(retryMs = RETRY_MS): void {
    this.#isPrimed = true
    this.#connection?.send('', { id: `${this.#id}-${this.#sequence}`, retryMs })
  }

  send(text: string): void {
    const event = { sequence: ++this.#sequence, text }
    this.kept.push(event)
    this.#deliver(event)
    this.#events.onKept(text)
  }

  /** The client uses its newest connection: an older one may have broken unnoticed. */
  attach(connection: EventStream, seen = 0): void {
    this.#connection?.end()
    this.#connection = connection
    for (const event of this.kept.slice()) if (event.sequence > seen) this.#deliver(event)
    if (this.endedAt !== undefined) connection.end()
  }

  /** Ends the connection, but not the stream. */
  detach(): void {
    this.#connection?.end()
    this.#connection = undefined
  }

  end(isAnswered: boolean): void {
    this.endedAt = Date.now()
    this.#connection?.end()
    this.#events.onEnd(isAnswered && this.#canReturn)
  }

  /** It was sent completely: what is still on its way would be lost with the connection. */
  isSpare({ sequence }: Event): boolean {
    return sequence <= this.#sent && this.#connection?.isFlushed === true
  }

  /** The client had an event id before that of its answer. */
  get #canReturn(): boolean {
    return this.#isPrimed || this.#sequence > 1
  }

  #deliver(event: Event): void {
    if (this.#connection?.send(event.text, { id: `${this.#id}-${event.sequence}`, type: 'message' }))
      this.#sent = Math.max(this.#sent, event.sequence)
  }
}
