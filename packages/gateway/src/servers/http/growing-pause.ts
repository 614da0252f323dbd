import { setTimeout as pause } from 'node:timers/promises'

const FIRST_MS = 50
const LONGEST_MS = 30_000

/** Between tries of what does not last: each pause is longer than the one before, until it does. */
export class GrowingPause {
  #nextMs = FIRST_MS
  #workedAt: number | undefined
  #isOn = false

  worked(): void {
    this.#workedAt = Date.now()
  }

  /** False at once when somebody waits already. */
  async wait(): Promise<boolean> {
    if (this.#isOn) return false
    this.#isOn = true
    const hasLasted = this.#workedAt !== undefined && Date.now() - this.#workedAt > LONGEST_MS
    const ms = hasLasted ? FIRST_MS : this.#nextMs
    this.#nextMs = Math.min(ms * 2, LONGEST_MS)
    this.#workedAt = undefined
    await pause(ms, undefined, { ref: false })
    this.#isOn = false
    return true
  }
}
