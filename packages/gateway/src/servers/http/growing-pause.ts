import { setTimeout as pause } from 'node:timers/promises'

const FIRST_MS = 50
const LONGEST_MS = 30_000

/** Between tries of what does not last: each pause is longer than the one before, until it does. */
export class GrowingPause {
  readonly #firstMs: number
  readonly #longestMs: number
  #nextMs: number
  #workedAt: number | undefined
  #isOn = false

  constructor(firstMs = FIRST_MS, longestMs = LONGEST_MS) {
    this.#firstMs = firstMs
    this.#longestMs = longestMs
    this.#nextMs = firstMs
  }

  worked(): void {
    this.#workedAt = Date.now()
  }

  /** False at once when somebody waits already, and when the signal ends the pause. */
  async wait(signal?: AbortSignal): Promise<boolean> {
    if (this.#isOn) return false
    this.#isOn = true
    const hasLasted = this.#workedAt !== undefined && Date.now() - this.#workedAt > this.#longestMs
    const ms = hasLasted ? this.#firstMs : this.#nextMs
    this.#nextMs = Math.min(ms * 2, this.#longestMs)
    this.#workedAt = undefined
    const isOver = await pause(ms, true, { ref: false, signal }).catch(() => false)
    this.#isOn = false
    return isOver
  }
}
