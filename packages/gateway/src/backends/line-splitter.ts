import { LARGE_BYTES } from '../json-rpc.ts'

const NEWLINE = 10
/** Enough of both ends of a dropped line to find whose answer it was. */
const EDGE_BYTES = 512

export interface LineSplitterOptions {
  maxBytes: number
  onLine: (line: string) => void
  /** Gets large lines before; true: that was all. */
  onLarge?: (line: Buffer) => boolean
  /** A line over the limit: its first and last bytes; the rest was never kept. */
  onOversize: (head: string, tail: string) => void
}

/** Cuts a byte stream into lines of text without ever holding more than one line of the allowed size. */
export class LineSplitter {
  readonly #options: LineSplitterOptions
  #parts: Buffer[] = []
  #size = 0
  #dropping: { head: Buffer; tail: Buffer } | undefined

  constructor(options: LineSplitterOptions) {
    this.#options = options
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.#add(bytes.subarray(start, end))
      this.#endLine()
      start = end + 1
    }
    if (start < bytes.length) this.#add(bytes.subarray(start))
  }

  /** The stream is over: what is left is a line too. */
  end(): void {
    if (this.#size > 0 || this.#dropping !== undefined) this.#endLine()
  }

  #add(part: Buffer): void {
    if (this.#dropping !== undefined) {
      this.#dropping.tail = Buffer.concat([this.#dropping.tail, part.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES)
      return
    }
    this.#parts.push(part)
    this.#size += part.length
    if (this.#size <= this.#options.maxBytes) return
    const whole = Buffer.concat(this.#parts)
    // Copies: a view would keep the large buffer alive.
    this.#dropping = {
      head: Buffer.from(whole.subarray(0, EDGE_BYTES)),
      tail: Buffer.from(whole.subarray(-EDGE_BYTES)),
    }
    this.#parts = []
    this.#size = 0
  }

  #endLine(): void {
    if (this.#dropping !== undefined) {
      const { head, tail } = this.#dropping
      this.#dropping = undefined
      this.#options.onOversize(head.toString('utf8'), tail.toString('utf8'))
      return
    }
    const [first] = this.#parts
    const bytes = this.#parts.length === 1 && first !== undefined ? first : Buffer.concat(this.#parts)
    this.#parts = []
    this.#size = 0
    if (bytes.length >= LARGE_BYTES && this.#options.onLarge?.(bytes) === true) return
    const line = bytes.toString('utf8')
    this.#options.onLine(line.endsWith('\r') ? line.slice(0, -1) : line)
  }
}
