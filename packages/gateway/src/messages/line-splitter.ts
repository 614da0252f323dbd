import { LARGE_BYTES, type LargeLine } from './json-rpc.ts'
import { addPart, fewParts, joined } from './parts.ts'

const NEWLINE = 10
/** Enough of both ends of a dropped line to find out which call it answers. */
const EDGE_BYTES = 512
/** Enough of a large line to know what it is. */
export const HEAD_BYTES = 64

export interface LineSplitterOptions {
  maxBytes: number
  onLine: (line: string) => void
  /**
   * Gets large lines first. The first part has at least HEAD_BYTES, and no part is empty. Returns true when it has
   * handled the line.
   */
  onLarge?: (line: LargeLine) => boolean
  /** Gets the first and last bytes of a line over the limit. The rest was never kept. */
  onOversize: (head: string, tail: string) => void
}

/** Cuts a byte stream into lines of text and never holds more than one line of the allowed size. */
export class LineSplitter {
  readonly #options: LineSplitterOptions
  #parts: Buffer[] = []
  #size = 0
  #dropping: { head: Buffer; tail: Buffer } | undefined

  constructor(options: LineSplitterOptions) {
    this.#options = options
  }

  /** Calls `mayGoOn` after each line. Returns the rest of the bytes when it may not continue. */
  push(chunk: Uint8Array, mayGoOn: () => boolean = () => true): Buffer | undefined {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.#add(bytes.subarray(start, end))
      this.#endLine()
      start = end + 1
      if (start < bytes.length && !mayGoOn()) return bytes.subarray(start)
    }
    if (start < bytes.length) this.#add(bytes.subarray(start))
    return undefined
  }

  /** The stream has ended: what is left is a line too. */
  end(): void {
    if (this.#size > 0 || this.#dropping !== undefined) this.#endLine()
  }

  #add(part: Buffer): void {
    if (this.#dropping !== undefined) {
      this.#dropping.tail = Buffer.concat([this.#dropping.tail, part.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES)
      return
    }
    if (part.length === 0) return
    addPart(this.#parts, part)
    this.#size += part.length
    if (this.#size <= this.#options.maxBytes) return
    const whole = Buffer.concat(this.#parts)
    // Copies, because a view would keep the large buffer alive.
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
    const parts = this.#parts
    const size = this.#size
    this.#parts = []
    this.#size = 0
    if (size >= LARGE_BYTES && this.#options.onLarge?.(fewParts(parts, size, HEAD_BYTES)) === true) return
    const line = joined(parts).toString('utf8')
    this.#options.onLine(line.endsWith('\r') ? line.slice(0, -1) : line)
  }
}
