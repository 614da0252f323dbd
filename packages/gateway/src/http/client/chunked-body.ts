import { MalformedAnswer, parseHeaderLine } from './answer-head.ts'

/** Limit for the extensions and the trailers of one answer: as much as a head may have. */
const MAX_ASIDE_BYTES = 16 * 1024
const CR = 0x0d
const LF = 0x0a
/** The size of a chunk, with extensions that mean nothing to us. */
const SIZE_LINE =
  /^([0-9A-Fa-f]{1,12})((?:;[!#$%&'*+.^_`|~\w-]+(?:=(?:[!#$%&'*+.^_`|~\w-]+|"[\t\x20\x21\x23-\x5b\x5d-\x7e]*"))?)*)$/

/** Reads one body sent in chunks. */
export class ChunkedBody {
  #expects: 'size' | 'data' | 'data-end' | 'trailer' = 'size'
  /** Bytes of the chunk that are still missing. */
  #left = 0
  /** The part of a line that has arrived so far. */
  #line = ''
  #asideBytes = 0
  isEnded = false

  /** Returns how far it read: to the end of the bytes or of the body. */
  read(bytes: Buffer, from: number, onData: (part: Buffer) => void): number {
    let at = from
    while (at < bytes.length && !this.isEnded) {
      if (this.#expects === 'data') {
        const end = Math.min(bytes.length, at + this.#left)
        this.#left -= end - at
        if (this.#left === 0) this.#expects = 'data-end'
        onData(bytes.subarray(at, end))
        at = end
      } else at = this.#readLine(bytes, at)
    }
    return at
  }

  #readLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(LF, at)
    const next = end === -1 ? bytes.length : end + 1
    if (this.#line.length + next - at > MAX_ASIDE_BYTES)
      throw new MalformedAnswer('a line between its chunks is too long')
    this.#line += bytes.toString('latin1', at, next)
    if (end === -1) return next
    const line = this.#line
    this.#line = ''
    if (line.charCodeAt(line.length - 2) !== CR)
      throw new MalformedAnswer('a line between its chunks ends with no CR LF')
    this.#takeLine(line.slice(0, -2))
    return next
  }

  #takeLine(line: string): void {
    if (this.#expects === 'size') return this.#takeSize(line)
    if (this.#expects === 'data-end') {
      if (line !== '') throw new MalformedAnswer('a chunk is longer than it says')
      this.#expects = 'size'
      return
    }
    if (line === '') this.isEnded = true
    else this.#takeTrailer(line)
  }

  #takeSize(line: string): void {
    const [, size, extensions] = SIZE_LINE.exec(line) ?? []
    if (size === undefined) throw new MalformedAnswer('a chunk does not begin with its size')
    if (extensions !== undefined) this.#aside(extensions.length)
    this.#left = Number.parseInt(size, 16)
    this.#expects = this.#left === 0 ? 'trailer' : 'data'
  }

  #takeTrailer(line: string): void {
    this.#aside(line.length + 2)
    const [name] = parseHeaderLine(line, 0, line.length)
    // A header that says where the answer ends cannot come after the body.
    if (name === 'content-length' || name === 'transfer-encoding')
      throw new MalformedAnswer(`it has ${name} among its trailers`)
  }

  #aside(bytes: number): void {
    this.#asideBytes += bytes
    if (this.#asideBytes > MAX_ASIDE_BYTES) throw new MalformedAnswer('there is too much between its chunks')
  }
}
