import { hash } from 'node:crypto'
import type { Caller } from './caller.ts'

export type Verdict = { caller: Caller } | { refused: string; hasExpired: boolean }

interface Entry {
  verdict: Verdict
  until: number
}

/**
 * The verdicts about checked tokens, by the token's hash: a token itself is never kept. When there are too many, the
 * oldest are dropped. Refused tokens replace only refused ones, so made-up tokens do not push out anybody's valid
 * token.
 */
export class KnownTokens {
  readonly #maxEntries: number
  readonly #good = new Map<string, Entry>()
  readonly #refused = new Map<string, Entry>()
  readonly #checking = new Map<string, Promise<Verdict>>()

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  static keyOf(token: string): string {
    return hash('sha256', token, 'base64')
  }

  get(key: string, now: number): Verdict | undefined {
    const entry = this.#good.get(key) ?? this.#refused.get(key)
    return entry !== undefined && now < entry.until ? entry.verdict : undefined
  }

  /** Whether it was valid when it was last checked, however long ago, or before it expired. */
  wasGood(key: string): boolean {
    const refused = this.#refused.get(key)?.verdict
    return this.#good.has(key) || (refused !== undefined && 'refused' in refused && refused.hasExpired)
  }

  /** Checks once for all requests that arrive with the same token at the same time. */
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
    this.#good.delete(key)
    this.#refused.delete(key)
    const entries = 'refused' in entry.verdict ? this.#refused : this.#good
    entries.set(key, entry)
    if (entries.size <= this.#maxEntries) return
    const [oldest] = entries.keys()
    if (oldest !== undefined) entries.delete(oldest)
  }
}
