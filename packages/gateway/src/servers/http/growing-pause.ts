import { setTimeout as pause } from 'node:timers/promises'
import { Backoff, type BackoffRange } from '@toolhaven/contract/backoff'

const DEFAULT_RANGE = { firstMs: 50, longestMs: 30_000 }

/** Between tries of what does not last: each pause is longer than the one before, until it does. */
export class GrowingPause {
  readonly #backoff: Backoff
  readonly #longestMs: number
  #workedAt: number | undefined
  #isOn = false

  constructor(range: BackoffRange = DEFAULT_RANGE) {
    this.#backoff = new Backoff(range)
    this.#longestMs = range.longestMs
  }

  worked(): void {
    this.#workedAt = Date.now()
  }

  /** False at once when somebody waits already, and when the signal ends the pause. */
  async wait(signal?: AbortSignal): Promise<boolean> {
    if (this.#isOn) return false
    this.#isOn = true
    const hasLasted = this.#workedAt !== undefined && Date.now() - this.#workedAt > this.#longestMs
    if (hasLasted) this.#backoff.reset()
    this.#workedAt = undefined
    const isOver = await pause(this.#backoff.next(), true, { ref: false, signal }).catch(() => false)
    this.#isOn = false
    return isOver
  }
}
