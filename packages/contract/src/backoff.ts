export interface BackoffRange {
  firstMs: number
  longestMs: number
  /** Each pause is this much longer than the one before. Default: 2. */
  factor?: number
}

/** The pause after this failure in a row, counted from 1. */
export function backoffMs(failures: number, { firstMs, longestMs, factor = 2 }: BackoffRange): number {
  return Math.min(longestMs, firstMs * factor ** Math.max(0, failures - 1))
}

/** The pauses between the tries of something that fails: each is longer than the one before, until one try works. */
export class Backoff {
  readonly #range: BackoffRange
  #failures = 0

  constructor(range: BackoffRange) {
    this.#range = range
  }

  /** The pause that the next failure brings. */
  get ms(): number {
    return backoffMs(this.#failures + 1, this.#range)
  }

  next(): number {
    this.#failures += 1
    return backoffMs(this.#failures, this.#range)
  }

  reset(): void {
    this.#failures = 0
  }
}
