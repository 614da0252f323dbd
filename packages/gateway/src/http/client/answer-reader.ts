import { END_OF_HEAD, MAX_HEAD_BYTES } from '../head-grammar.ts'
import { type AnswerHead, MalformedAnswer, parseAnswerHead } from './answer-head.ts'
import { ChunkedBody } from './chunked-body.ts'

const PROTOCOL = 'HTTP/1.'
const NOTHING = Buffer.alloc(0)

export interface AnswerSink {
  onHead(head: AnswerHead): void
  /** The bytes belong to the reader: copy what has to stay. */
  onData(bytes: Buffer): void
  /** How long the connection may be kept for another answer. 0: not at all. */
  onEnd(keptMs: number): void
}

/** The last head and what it says: most heads equal the one before. */
export interface KnownHead {
  text: string
  head: AnswerHead
}

/**
 * Reads the answers on one connection, one at a time. Call `expect` first. `push` throws when the bytes are not HTTP.
 */
export class AnswerReader {
  readonly #known: { last: KnownHead | undefined }
  #sink: AnswerSink | undefined
  #head: AnswerHead | undefined
  /** The part of a head that has arrived so far. */
  #begun = NOTHING
  #left = 0
  #chunked: ChunkedBody | undefined

  constructor(known: { last: KnownHead | undefined } = { last: undefined }) {
    this.#known = known
  }

  expect(sink: AnswerSink): void {
    this.#sink = sink
  }

  /** The caller does not want the rest. */
  stop(): void {
    this.#sink = undefined
  }

  push(bytes: Buffer): void {
    if (this.#sink === undefined) throw new MalformedAnswer('it came without having been asked for')
    let at = 0
    // A receiver may stop the answer while it takes the data.
    while (at < bytes.length && this.#sink !== undefined)
      at = this.#head === undefined ? this.#readHead(bytes, at) : this.#readBody(bytes, at, this.#head)
  }

  /** The connection is closed. Returns whether that was the end of an answer. */
  close(): boolean {
    if (this.#sink === undefined) return true
    if (this.#head?.body !== 'until-close') return false
    this.#end(false)
    return true
  }

  #readHead(bytes: Buffer, at: number): number {
    const begun = this.#begun
    const here = begun.length === 0 ? bytes : Buffer.concat([begun, at === 0 ? bytes : bytes.subarray(at)])
    const start = begun.length === 0 ? at : 0
    // The end may have begun in the part before.
    const end = here.indexOf(END_OF_HEAD, Math.max(start, begun.length - 3))
    const size = (end === -1 ? here.length : end + 4) - start
    if (size > MAX_HEAD_BYTES) throw new MalformedAnswer(`its head is over ${MAX_HEAD_BYTES} bytes`)
    if (end === -1) {
      checkBegun(here, start, begun.length)
      this.#begun = Buffer.from(here.subarray(start))
      return bytes.length
    }
    this.#begun = NOTHING
    const next = at + size - begun.length
    this.#startAnswer(here.toString('latin1', start, end), next === bytes.length)
    return next
  }

  #startAnswer(text: string, isAll: boolean): void {
    const { last } = this.#known
    const head = last?.text === text ? last.head : parseAnswerHead(text)
    if (last?.head !== head) this.#known.last = { text, head }
    // An interim response: it says nothing about the final one.
    if (head.status < 200) return
    this.#head = head
    this.#sink?.onHead(head)
    if (head.body === 0) this.#end(isAll)
    else if (head.body === 'chunked') this.#chunked = new ChunkedBody()
    else if (head.body !== 'until-close') this.#left = head.body
  }

  #readBody(bytes: Buffer, at: number, head: AnswerHead): number {
    if (this.#chunked !== undefined) return this.#readChunks(bytes, at, this.#chunked)
    if (head.body === 'until-close') {
      this.#sink?.onData(bytes.subarray(at))
      return bytes.length
    }
    const end = Math.min(bytes.length, at + this.#left)
    this.#left -= end - at
    this.#sink?.onData(bytes.subarray(at, end))
    if (this.#left === 0) this.#end(end === bytes.length)
    return end
  }

  #readChunks(bytes: Buffer, at: number, chunked: ChunkedBody): number {
    const next = chunked.read(bytes, at, (part) => this.#sink?.onData(part))
    if (chunked.isEnded) this.#end(next === bytes.length)
    return next
  }

  /**
   * `isAll`: nothing followed the answer. Bytes that do belong to no call, so the connection can no longer be trusted.
   */
  #end(isAll: boolean): void {
    const sink = this.#sink
    const keptMs = isAll ? (this.#head?.keptMs ?? 0) : 0
    this.#sink = undefined
    this.#head = undefined
    this.#chunked = undefined
    sink?.onEnd(keptMs)
  }
}

/** Refuses at once what can never become a head: its end may never come. */
function checkBegun(bytes: Buffer, start: number, seen: number): void {
  const text = bytes.toString('latin1', start + Math.max(0, seen - 1))
  if (/[^\r]\n|\r[^\n]/.test(text)) throw new MalformedAnswer('a line of its head ends with no CR LF')
  const first = bytes.toString('latin1', start, start + PROTOCOL.length)
  if (!PROTOCOL.startsWith(first)) throw new MalformedAnswer('its first line is not a status line')
}
