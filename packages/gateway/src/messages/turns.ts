/** How long the gateway works on messages of one server without a pause. */
const TURN_MS = 5
/** After a pause of this length, others have had their turn. */
const QUIET_MS = 1

/** Continues the work until `mayGoOn` returns false. Returns true when nothing is left. It must not throw. */
type Work = (mayGoOn: () => boolean) => boolean

/** Handles what comes from one server in turns: a server that sends without end must not keep everyone else waiting. */
export class Turns {
  readonly #waiting: Work[] = []
  #workedAt = -Infinity
  #turnEnds = 0

  readonly mayGoOn = () => performance.now() < this.#turnEnds

  /** Starts the work at once. */
  work<T>(work: (mayGoOn: () => boolean) => T): T {
    const now = performance.now()
    if (this.#waiting.length === 0 && now - this.#workedAt > QUIET_MS) this.#turnEnds = now + TURN_MS
    try {
      return work(this.mayGoOn)
    } finally {
      this.#workedAt = performance.now()
    }
  }

  /** Continues with what was left when others have had their turn. */
  later(work: Work): void {
    if (this.#waiting.push(work) === 1) setImmediate(this.#goOn)
  }

  readonly #goOn = () => {
    this.#turnEnds = performance.now() + TURN_MS
    do {
      const next = this.#waiting.shift()
      if (next?.(this.mayGoOn) === false) this.#waiting.push(next)
    } while (this.#waiting.length > 0 && this.mayGoOn())
    this.#workedAt = performance.now()
    if (this.#waiting.length > 0) setImmediate(this.#goOn)
  }
}
