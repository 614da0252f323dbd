import type { StdioChannel } from '@toolhaven/core/ports/runtime'

/**
 * Lines on their way into a server's stdin. The first goes at once; what else comes in the same turn of the event loop goes
 * together, in one write: with many clients writes are most of what a call costs. A server that does not read makes callers
 * fail, not the memory grow.
 */
export class WriteQueue {
  readonly #channel: StdioChannel
  readonly #maxBytes: number
  #lines: string[] = []
  #bytes = 0
  #isWriting = false
  #isClosed = false

  constructor(channel: StdioChannel, maxBytes: number) {
    this.#channel = channel
    this.#maxBytes = maxBytes
  }

  /** False when the pipe is closed or the server has too much unread already. */
  push(text: string): boolean {
    if (this.#isClosed || this.#bytes > this.#maxBytes) return false
    this.#lines.push(text)
    this.#bytes += text.length
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
        // A single line, which may be a large one, is not copied.
        const batch = this.#lines.length === 1 ? `${this.#lines[0]}\n` : `${this.#lines.join('\n')}\n`
        const bytes = batch.length - this.#lines.length
        this.#lines = []
        await this.#channel.write(batch)
        this.#bytes -= bytes
        await nextTurn()
      }
    } catch {
      // The channel says why through onClose, which fails the calls.
      this.close()
    }
    this.#isWriting = false
  }
}

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve))
