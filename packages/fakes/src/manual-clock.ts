import type { Clock } from '@toolhaven/core/ports/clock'

interface Sleeper {
  at: number
  wake: () => void
}

/** Time that passes only when a test says so. */
export class ManualClock implements Clock {
  #now: number
  readonly #sleepers = new Set<Sleeper>()

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const sleeper: Sleeper = { at: this.#now + ms, wake: resolve }
    this.#sleepers.add(sleeper)
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    try {
      await promise
    } finally {
      this.#sleepers.delete(sleeper)
      signal.removeEventListener('abort', abort)
    }
  }

  /** Moves on and wakes whatever is due. The caller's next check waits for what they do. */
  async advance(ms: number): Promise<void> {
    this.#now += ms
    for (const sleeper of this.#sleepers) if (sleeper.at <= this.#now) sleeper.wake()
    await settle()
  }
}

/** Lets everything that is ready run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
