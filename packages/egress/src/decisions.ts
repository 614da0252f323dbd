import type { Destination } from './outbound-policy.ts'

/** One connection a workload asked for, and what became of it. */
export interface Decision extends Destination {
  isAllowed: boolean
  /** Why not. */
  reason?: string
}

/** Everything a workload asked for in the same way, counted. */
export interface Seen extends Decision {
  times: number
  firstAt: number
  lastAt: number
}

/** A workload that tries every name there is must not fill the memory. */
const MOST_KEPT = 1_000

/** What a workload reached and what it was refused, each place once. */
export class Decisions {
  readonly #now: () => number
  readonly #seen = new Map<string, Seen>()

  constructor(now: () => number) {
    this.#now = now
  }

  add(decision: Decision): void {
    const key = `${decision.isAllowed} ${decision.host} ${decision.port}`
    const at = this.#now()
    const known = this.#seen.get(key)
    if (known !== undefined) {
      known.times += 1
      known.lastAt = at
    } else if (this.#seen.size < MOST_KEPT) {
      this.#seen.set(key, { ...decision, times: 1, firstAt: at, lastAt: at })
    }
  }

  all(): readonly Seen[] {
    return [...this.#seen.values()]
  }
}
