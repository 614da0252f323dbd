/**
 * Passes every value to all listeners, each at their own pace. Listening starts with the call of `listen`, not with the
 * first read.
 */
export class Broadcast<T> {
  readonly #listeners = new Set<Listener<T>>()
  #closed: Error | undefined

  send(value: T): void {
    for (const listener of this.#listeners) {
      listener.queue.push(value)
      listener.wake()
    }
  }

  /** Listeners read what they have, then get the error. */
  close(error: Error): void {
    this.#closed = error
    for (const listener of this.#listeners) listener.wake()
  }

  listen(signal: AbortSignal): AsyncIterable<T> {
    const listener: Listener<T> = { queue: [], wake: () => undefined }
    this.#listeners.add(listener)
    signal.addEventListener('abort', () => {
      this.#listeners.delete(listener)
      listener.wake()
    })
    return this.#read(listener, signal)
  }

  async *#read(listener: Listener<T>, signal: AbortSignal): AsyncGenerator<T> {
    try {
      while (!signal.aborted) {
        const next = listener.queue.shift()
        if (next !== undefined) yield next
        else if (this.#closed !== undefined) throw this.#closed
        else await new Promise<void>((resolve) => (listener.wake = resolve))
      }
    } finally {
      this.#listeners.delete(listener)
    }
  }
}

interface Listener<T> {
  queue: T[]
  wake: () => void
}
