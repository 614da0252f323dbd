import type { LogLine } from '@toolhaven/core/ports/stores'

/** Passes lines to any number of readers. Each has a bounded queue, so a slow reader loses only its own lines. */
export interface LineFeed {
  publish(name: string, lines: readonly LogLine[]): void
  /** Gives lines from this call on, until aborted. */
  follow(name: string, signal: AbortSignal): AsyncIterable<LogLine>
}

const MAX_QUEUED = 5000

interface Reader {
  queue: LogLine[]
  dropped: number
  wake: () => void
}

export function createLineFeed(): LineFeed {
  const readers = new Map<string, Set<Reader>>()

  function listen(name: string, reader: Reader): () => void {
    const all = readers.get(name) ?? new Set()
    readers.set(name, all.add(reader))
    return () => {
      all.delete(reader)
      if (all.size === 0 && readers.get(name) === all) readers.delete(name)
      reader.wake()
    }
  }

  return {
    publish(name, lines) {
      for (const reader of readers.get(name) ?? []) {
        for (const line of lines) reader.queue.push(line)
        const over = reader.queue.length - MAX_QUEUED
        if (over > 0) {
          reader.queue.splice(0, over)
          reader.dropped += over
        }
        reader.wake()
      }
    },
    follow(name, signal) {
      const reader: Reader = { queue: [], dropped: 0, wake: () => {} }
      if (signal.aborted) return drain(reader, signal, () => {})
      const leave = listen(name, reader)
      signal.addEventListener('abort', leave, { once: true })
      return drain(reader, signal, () => {
        signal.removeEventListener('abort', leave)
        leave()
      })
    },
  }
}

async function* drain(reader: Reader, signal: AbortSignal, leave: () => void): AsyncGenerator<LogLine> {
  try {
    while (!signal.aborted) {
      if (reader.dropped > 0) {
        const { dropped } = reader
        reader.dropped = 0
        yield { text: `[toolhaven: ${dropped} lines left out, this reader is too slow]` }
      }
      const line = reader.queue.shift()
      if (line !== undefined) {
        yield line
        continue
      }
      const more = Promise.withResolvers<void>()
      reader.wake = more.resolve
      await more.promise
    }
  } finally {
    leave()
  }
}
