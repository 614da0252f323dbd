import type { LogChunk, LogOptions } from '@toolhaven/core/ports/runtime'

interface Entry extends LogChunk {
  at: number
}

/** The last output of one instance, and the way to follow it. */
export class OutputRing {
  readonly #maxBytes: number
  #entries: Entry[] = []
  #size = 0
  #ended = false
  readonly #waiting = new Set<() => void>()
  readonly #followers = new Set<Entry[]>()

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  append(stream: LogChunk['stream'], data: Uint8Array, at: number): void {
    const entry = { stream, data, at }
    this.#entries.push(entry)
    this.#size += data.length
    while (this.#size > this.#maxBytes && this.#entries.length > 1)
      this.#size -= this.#entries.shift()?.data.length ?? 0
    for (const queue of this.#followers) if (queue.length < MAX_FOLLOWER_CHUNKS) queue.push(entry)
    this.#wake()
  }

  /** Nothing more will come: followers end after what they have not read yet. */
  end(): void {
    this.#ended = true
    this.#wake()
  }

  /** Called before the instance is started again. */
  reopen(): void {
    this.#ended = false
  }

  async *read(options: LogOptions, signal: AbortSignal): AsyncGenerator<LogChunk> {
    const queue: Entry[] = []
    const since = options.since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(options.since)
    const kept = this.#entries.filter((entry) => entry.at >= since)
    if (options.follow === true) this.#followers.add(queue)
    const wake = () => this.#wake()
    signal.addEventListener('abort', wake)
    try {
      yield* options.tail === undefined ? kept : lastLines(kept, options.tail)
      while (options.follow === true && !signal.aborted) {
        const next = queue.shift()
        if (next !== undefined) yield next
        else if (this.#ended) return
        else await new Promise<void>((resolve) => this.#waiting.add(resolve))
      }
    } finally {
      this.#followers.delete(queue)
      signal.removeEventListener('abort', wake)
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}

/** A reader that stops reading loses output instead of filling the memory. */
const MAX_FOLLOWER_CHUNKS = 1024
const NEWLINE = 10

/** The end of the output with the given number of lines. An unfinished last line counts as one. */
function lastLines(entries: readonly Entry[], lines: number): LogChunk[] {
  const kept: LogChunk[] = []
  let missing = lines
  for (const entry of entries.toReversed()) {
    if (missing <= 0) break
    const start = startOfLines(entry.data, missing, kept.length === 0)
    kept.push({ stream: entry.stream, data: entry.data.subarray(start.offset) })
    missing -= start.found
    if (start.offset > 0) break
  }
  return kept.toReversed()
}

function startOfLines(data: Uint8Array, wanted: number, isLast: boolean): { offset: number; found: number } {
  // The newline that ends the very last line starts no further one.
  let position = isLast && data.at(-1) === NEWLINE ? data.length - 1 : data.length
  let found = 0
  for (;;) {
    const newline = position === 0 ? -1 : data.lastIndexOf(NEWLINE, position - 1)
    if (newline === -1) return { offset: 0, found }
    found += 1
    if (found === wanted) return { offset: newline + 1, found }
    position = newline
  }
}
