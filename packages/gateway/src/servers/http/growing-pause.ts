import { setTimeout as pause } from 'node:timers/promises'
import { Backoff, type BackoffRange } from '@toolhaven/contract/backoff'

const DEFAULT_RANGE = { firstMs: 50, longestMs: 30_000 }

/** Pauses between attempts that do not last. Each pause is longer than the one before, until an attempt lasts. */
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

  /** Returns false at once when another caller is already waiting, and when the signal ends the pause. */
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
