import type { OnReadOpts, Socket } from 'node:net'
import { type AnswerHead, MalformedAnswer } from './answer-head.ts'
import { AnswerReader, type AnswerSink, type KnownHead } from './answer-reader.ts'
import { isProbablyUnseen } from './probably-unseen.ts'
import type { PlainCall } from './plain-call.ts'

export interface LinkOptions {
  connect: (onread: OnReadOpts) => Socket
  /** All connections to a server share this buffer: it is free again when the bytes have been taken. */
  buffer: Buffer
  known: { last: KnownHead | undefined }
  onFree: (link: PlainLink, keptMs: number) => void
  onGone: (link: PlainLink) => void
}

/** One connection to a server. It carries one call at a time. */
export class PlainLink implements AnswerSink {
  readonly #options: LinkOptions
  readonly #socket: Socket
  readonly #reader: AnswerReader
  #call: PlainCall | undefined
  #hasAnswered = false
  /** Whether the system accepted the whole request. */
  #isSent = false
  /** Whether anything has arrived since the request was written. */
  #isHeard = false
  #askedAt = 0
  #isGone = false
  isPaused = false
  /** When the connection must not be used any more. */
  idleUntil = 0

  constructor(options: LinkOptions) {
    this.#options = options
    this.#reader = new AnswerReader(options.known)
    this.#socket = options.connect({
      buffer: options.buffer,
      callback: (length) => this.#take(options.buffer.subarray(0, length)),
    })
    this.#socket.on('error', (error) => this.fail(error))
    this.#socket.on('end', () => this.#end())
    this.#socket.on('close', () => this.#end())
  }

  ask(call: PlainCall, message: string | Buffer, encoding: BufferEncoding): void {
    this.#call = call
    this.#isSent = false
    this.#isHeard = false
    this.#askedAt = performance.now()
    this.#reader.expect(this)
    this.#socket.ref()
    this.#socket.write(message, encoding, this.#onWritten)
  }

  pause(): void {
    this.isPaused = true
    this.#socket.pause()
  }

  resume(): void {
    this.isPaused = false
    this.#socket.resume()
  }

  /** The caller does not want what it carries. */
  drop(): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#call = undefined
    this.#reader.stop()
    this.#socket.destroy()
    this.#options.onGone(this)
  }

  fail(error: Error): void {
    if (this.#isGone) return
    const call = this.#call
    const isUnheard = this.#hasAnswered && !this.#isHeard && !(error instanceof MalformedAnswer)
    this.drop()
    call?.onBroken(error, {
      isUnsent: isUnheard && !this.#isSent && isOfWriting(error),
      isUnseen: isUnheard && isProbablyUnseen(this.#askedAt),
    })
  }

  onHead(head: AnswerHead): void {
    this.#call?.onHead(head)
  }

  onData(bytes: Buffer): void {
    // The next read overwrites them.
    this.#call?.onData(Buffer.from(bytes))
  }

  onEnd(keptMs: number): void {
    const call = this.#call
    this.#call = undefined
    this.#hasAnswered = true
    // An answer that is complete before the whole request was sent leaves the connection in the middle of a request.
    if (keptMs === 0 || this.#socket.writableLength > 0) this.drop()
    else this.#rest(keptMs)
    call?.onEnd()
  }

  #rest(keptMs: number): void {
    if (this.isPaused) this.resume()
    // An idle connection must not keep the process alive.
    this.#socket.unref()
    this.#options.onFree(this, keptMs)
  }

  readonly #onWritten = (error?: Error | null) => {
    if (!error) this.#isSent = true
  }

  #take(bytes: Buffer): boolean {
    this.#isHeard = true
    try {
      this.#reader.push(bytes)
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)))
    }
    return true
  }

  #end(): void {
    if (this.#isGone || this.#reader.close()) this.drop()
    else this.fail(Object.assign(new Error('other side closed'), { code: 'ECONNRESET' }))
  }
}

/**
 * Head and body are written at once. If that failed, the server does not have the whole request. TLS also writes on its
 * own account.
 */
const isOfWriting = (error: Error) => 'syscall' in error && error.syscall === 'write'
