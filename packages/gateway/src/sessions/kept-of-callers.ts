import { KeptBytes, type Keeper } from './kept-bytes.ts'

/**
 * Limits the bytes that are kept for each caller, within the limit of their workload. Callers without a name have only
 * the latter.
 */
export class KeptOfCallers {
  readonly #mostOfOne: number
  readonly #whole: KeptBytes
  readonly #byCaller = new Map<string, KeptBytes>()

  constructor(mostOfOne: number, whole: KeptBytes) {
    this.#mostOfOne = mostOfOne
    this.#whole = whole
  }

  /** Like `KeptBytes`. */
  count(caller: string | undefined, keeper: Keeper, change: number): void {
    if (caller === undefined) return this.#whole.count(keeper, change)
    const kept = this.#byCaller.get(caller) ?? new KeptBytes(this.#mostOfOne, this.#whole)
    this.#byCaller.set(caller, kept)
    kept.count(keeper, change)
    if (kept.bytes === 0) this.#byCaller.delete(caller)
  }
}
