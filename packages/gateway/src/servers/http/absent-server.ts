import { setTimeout as pause } from 'node:timers/promises'
import { isNotReached } from './upstream.ts'

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1000

/** How long one message waits for a server that nobody listens for at the moment: it may be about to start again. */
export class AbsentServer {
  readonly #deadline: number
  #nextMs = FIRST_PAUSE_MS

  constructor(waitMs: number) {
    this.#deadline = Date.now() + waitMs
  }

  /** True after a pause: try again. False at once: the server was reached, or the time is over. Rejects when the signal aborts. */
  async mayTryAgain(error: unknown, signal?: AbortSignal): Promise<boolean> {
    const ms = this.#nextMs
    if (!isNotReached(error) || Date.now() + ms >= this.#deadline) return false
    this.#nextMs = Math.min(ms * 2, LONGEST_PAUSE_MS)
    await pause(ms, undefined, signal && { signal })
    return true
  }
}
