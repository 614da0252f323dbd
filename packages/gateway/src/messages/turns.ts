/** So long what comes from one server is worked on at once. */
const TURN_MS = 5
/** After such a pause, others have had their turn. */
const QUIET_MS = 1

/** Goes on with work until `mayGoOn` says no; true when nothing is left. It must not throw. */
type Work = (mayGoOn: () => boolean) => boolean

/** What comes from one server, in turns: one that talks without end must not keep everybody else waiting. */
export class Turns {
  readonly #waiting: Work[] = []
  #workedAt = -Infinity
  #turnEnds = 0

  readonly mayGoOn = () => performance.now() < this.#turnEnds

  /** Works at once. */
  work<T>(work: (mayGoOn: () => boolean) => T): T {
    const now = performance.now()
    if (this.#waiting.length === 0 && now - this.#workedAt > QUIET_MS) this.#turnEnds = now + TURN_MS
    try {
      return work(this.mayGoOn)
    } finally {
      this.#workedAt = performance.now()
    }
  }

  /** Works on what was left, when others have had their turn. */
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
