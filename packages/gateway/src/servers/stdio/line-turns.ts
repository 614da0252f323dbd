import type { LineSplitter } from '../../messages/line-splitter.ts'
import { Turns } from '../../messages/turns.ts'

export interface LineTurnsOptions {
  pause: () => void
  resume: () => void
}

/** The output of a process, handled in turns and in order. */
export class LineTurns {
  readonly #options: LineTurnsOptions
  readonly #turns = new Turns()
  readonly #waiting: { lines: LineSplitter; bytes: Uint8Array }[] = []
  #onDone: (() => void) | undefined
  #isStopped = false

  constructor(options: LineTurnsOptions) {
    this.#options = options
  }

  take(lines: LineSplitter, bytes: Uint8Array): void {
    if (this.#waiting.length > 0) return void this.#waiting.push({ lines, bytes })
    const rest = this.#turns.work((mayGoOn) => this.#read({ lines, bytes }, mayGoOn))
    if (rest === undefined || this.#isStopped) return
    this.#waiting.push({ lines, bytes: rest })
    this.#options.pause()
    this.#turns.later(this.#goOn)
  }

  /** Calls `work` when everything that has arrived was read. */
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

  #read({ lines, bytes }: { lines: LineSplitter; bytes: Uint8Array }, mayGoOn: () => boolean): Buffer | undefined {
    return lines.push(bytes, () => !this.#isStopped && mayGoOn())
  }

  readonly #goOn = (mayGoOn: () => boolean): boolean => {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const rest = this.#read(next, mayGoOn)
      if (this.#isStopped) return true
      if (rest === undefined) this.#waiting.shift()
      else next.bytes = rest
      if (this.#waiting.length > 0 && !mayGoOn()) return false
    }
    this.#options.resume()
    this.#onDone?.()
    return true
  }
}
