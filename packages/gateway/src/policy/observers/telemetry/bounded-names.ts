/** The label for values that have none of their own. */
export const OTHER = '_OTHER'

/** Longer values are not names. */
const MAX_LENGTH = 128

/** Values that may become labels. Their number is limited, whatever clients send. */
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
