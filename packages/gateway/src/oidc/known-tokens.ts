import { hash } from 'node:crypto'
import type { Caller } from './caller.ts'

export type Verdict = { caller: Caller } | { refused: string }

interface Entry {
  verdict: Verdict
  until: number
}

/** What is known about tokens that were checked, by their hash: a token itself is never kept. The oldest make room. */
export class KnownTokens {
  readonly #maxEntries: number
  readonly #entries = new Map<string, Entry>()
  readonly #checking = new Map<string, Promise<Verdict>>()

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  static keyOf(token: string): string {
    return hash('sha256', token, 'base64')
  }

  get(key: string, now: number): Verdict | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (now < entry.until) return entry.verdict
    this.#entries.delete(key)
    return undefined
  }

  /** Checks once for all who ask about the same token meanwhile. */
  check(key: string, work: () => Promise<Entry>): Promise<Verdict> {
    const running = this.#checking.get(key)
    if (running !== undefined) return running
    const checking = work()
      .then(({ verdict, until }) => {
        this.#keep(key, { verdict, until })
        return verdict
      })
      .finally(() => this.#checking.delete(key))
    this.#checking.set(key, checking)
    return checking
  }

  #keep(key: string, entry: Entry): void {
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    if (this.#entries.size <= this.#maxEntries) return
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }
}
