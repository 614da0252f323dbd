import type { JsonObject } from '../../messages/json-rpc.ts'
import { GrowingPause } from './growing-pause.ts'

const PAUSES = { firstMs: 30_000, longestMs: 600_000 }

/**
 * Tells a client what it may have missed, but not each time its server loses the session. A client that is told lists
 * again. Where each request loses the session, the two would drive each other without end. What is held back is told
 * once, when the pause is over.
 */
export class MissedNotices {
  readonly #tell: (greeting: JsonObject) => void
  readonly #pause: GrowingPause
  readonly #closed = new AbortController()
  #untold: JsonObject | undefined
  #isPausing = false

  constructor(tell: (greeting: JsonObject) => void, pause = new GrowingPause(PAUSES)) {
    this.#tell = tell
    this.#pause = pause
  }

  /** `greeting`: the result of the new session's handshake. */
  add(greeting: JsonObject): void {
    this.#untold = greeting
    if (!this.#isPausing) void this.#tellInTurn()
  }

  close(): void {
    this.#untold = undefined
    this.#closed.abort()
  }

  async #tellInTurn(): Promise<void> {
    this.#isPausing = true
    while (this.#untold !== undefined) {
      const greeting = this.#untold
      this.#untold = undefined
      this.#tell(greeting)
      if (await this.#pause.wait(this.#closed.signal)) this.#pause.worked()
    }
    this.#isPausing = false
  }
}
