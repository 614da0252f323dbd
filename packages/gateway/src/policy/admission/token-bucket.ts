/** Allows a number of requests per minute: a burst of that many at once, then at the same rate. */
export class TokenBucket {
  readonly #capacity: number
  readonly #now: () => number
  #tokens: number
  #seenAt: number

  constructor(perMinute: number, now: () => number) {
    this.#capacity = perMinute
    this.#now = now
    this.#tokens = perMinute
    this.#seenAt = now()
  }

  take(): boolean {
    this.#fill()
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }

  /** Returns one that was taken and is not needed. */
  giveBack(): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + 1)
  }

  /** How long until one is available again. */
  waitMs(): number {
    this.#fill()
    return this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / this.#capacity) * 60_000
  }

  #fill(): void {
    const now = this.#now()
    this.#tokens = Math.min(this.#capacity, this.#tokens + ((now - this.#seenAt) / 60_000) * this.#capacity)
    this.#seenAt = now
  }
}
