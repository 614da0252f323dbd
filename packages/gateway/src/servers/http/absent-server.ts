import { setTimeout as pause } from 'node:timers/promises'
import { backoffMs } from '@toolhaven/contract/backoff'
import { isNotReached } from '@toolhaven/core/net/not-reached'

const PAUSES = { firstMs: 50, longestMs: 1000 }

/** How long one message waits for a server that does not listen at the moment: it may be about to start again. */
export class AbsentServer {
  readonly #deadline: number
  #tries = 0

  constructor(waitMs: number) {
    this.#deadline = Date.now() + waitMs
  }

  /**
   * Returns true after a pause: try again. Returns false at once when the server was reached, or the time is over.
   * Rejects when the signal aborts.
   */
  async mayTryAgain(error: unknown, signal?: AbortSignal): Promise<boolean> {
    this.#tries += 1
    const ms = backoffMs(this.#tries, PAUSES)
    if (!isNotReached(error) || Date.now() + ms >= this.#deadline) return false
    await pause(ms, undefined, signal && { signal })
    return true
  }
}
