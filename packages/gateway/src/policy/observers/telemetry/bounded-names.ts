/** What a value is counted under that has no label of its own. */
export const OTHER = '_OTHER'

/** Longer ones are no names. */
const MAX_LENGTH = 128

/** Values that may become labels: so many and no more, whatever anybody sends. */
export class BoundedNames {
  readonly #known = new Set<string>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  admit(name: unknown): void {
    if (typeof name === 'string' && name.length <= MAX_LENGTH && this.#known.size < this.#most) this.#known.add(name)
  }

  labelOf(name: string): string {
    return this.#known.has(name) ? name : OTHER
  }
}
