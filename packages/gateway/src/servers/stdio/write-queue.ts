import type { StdioChannel } from '@toolhaven/core/ports/runtime'
import { sizeOf } from '../../messages/parts.ts'

/** A line including its newline. The bytes may be split across several arrays. */
type Line = string | readonly Uint8Array[]

/**
 * Lines on their way into a server's stdin. The first goes out at once; further lines of the same turn of the event
 * loop follow together in one write. With many clients, writes are most of what a call costs. If a server does not
 * read, calls fail instead of filling the memory.
 */
export class WriteQueue {
  readonly #channel: StdioChannel
  readonly #maxBytes: number
  #lines: Line[] = []
  #bytes = 0
  #isWriting = false
  #isClosed = false

  constructor(channel: StdioChannel, maxBytes: number) {
    this.#channel = channel
    this.#maxBytes = maxBytes
  }

  /** Returns false when the pipe is closed or the server has too much unread already. */
  push(line: Line): boolean {
    if (this.#isClosed || this.#bytes > this.#maxBytes) return false
    this.#lines.push(line)
    this.#bytes += lengthOf(line)
    if (!this.#isWriting) void this.#drain()
    return true
  }

  close(): void {
    this.#isClosed = true
    this.#lines = []
  }

  async #drain(): Promise<void> {
    this.#isWriting = true
    try {
      while (this.#lines.length > 0) {
        const lines = this.#lines
        this.#lines = []
        for (const batch of gathered(lines)) {
          await this.#channel.write(batch)
          this.#bytes -= lengthOf(batch)
        }
        await nextTurn()
      }
    } catch {
      // The channel reports the reason through onClose, which fails the calls.
      this.close()
    }
    this.#isWriting = false
  }
}

const lengthOf = (line: Line) => (typeof line === 'string' ? line.length : sizeOf(line))

/** Joins texts that follow one another. Bytes stay as they are. */
function gathered(lines: readonly Line[]): Line[] {
  if (lines.length < 2) return [...lines]
  const batches: Line[] = []
  let texts: string[] = []
  for (const line of lines) {
    if (typeof line === 'string') {
      texts.push(line)
      continue
    }
    if (texts.length > 0) batches.push(texts.join(''))
    texts = []
    batches.push(line)
  }
  return texts.length === 0 ? batches : [...batches, texts.join('')]
}

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve))
