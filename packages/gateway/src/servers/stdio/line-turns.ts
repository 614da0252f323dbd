import type { LineSplitter } from '../../messages/line-splitter.ts'

/** So long a server's output is worked on at once. */
const TURN_MS = 5
/** After such a pause, others have had their turn. */
const QUIET_MS = 1

export interface LineTurnsOptions {
  pause: () => void
  resume: () => void
}

/** Output in turns: a server that prints without end must not keep everybody else waiting. Nothing changes its order. */
export class LineTurns {
  readonly #options: LineTurnsOptions
  readonly #waiting: { lines: LineSplitter; bytes: Uint8Array }[] = []
  #workedAt = -Infinity
  #turnEnds = 0
  #onDone: (() => void) | undefined
  #isStopped = false

  constructor(options: LineTurnsOptions) {
    this.#options = options
  }

  take(lines: LineSplitter, bytes: Uint8Array): void {
    if (this.#waiting.length > 0) return void this.#waiting.push({ lines, bytes })
    const now = performance.now()
    if (now - this.#workedAt > QUIET_MS) this.#turnEnds = now + TURN_MS
    const rest = lines.push(bytes, this.#mayGoOn)
    this.#workedAt = performance.now()
    if (rest === undefined || this.#isStopped) return
    this.#waiting.push({ lines, bytes: rest })
    this.#options.pause()
    setImmediate(this.#goOn)
  }

  /** Calls `work` when all that came has been read. */
  whenDone(work: () => void): void {
    if (this.#waiting.length === 0) work()
    else this.#onDone = work
  }

  /** Nothing more is read. */
  stop(): void {
    this.#isStopped = true
    this.#onDone = undefined
    if (this.#waiting.splice(0).length > 0) this.#options.resume()
  }

  readonly #mayGoOn = () => !this.#isStopped && performance.now() < this.#turnEnds

  readonly #goOn = () => {
    this.#turnEnds = performance.now() + TURN_MS
    let next = this.#waiting[0]
    while (next !== undefined) {
      const rest = next.lines.push(next.bytes, this.#mayGoOn)
      if (this.#isStopped) return
      if (rest === undefined) this.#waiting.shift()
      else next.bytes = rest
      if (!this.#mayGoOn() && this.#waiting.length > 0) return void setImmediate(this.#goOn)
      next = this.#waiting[0]
    }
    this.#workedAt = performance.now()
    this.#options.resume()
    this.#onDone?.()
  }
}
