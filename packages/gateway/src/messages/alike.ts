/** Whether two different keys are the same to libraries that ignore case. */
export function isAlike(one: string, other: string): boolean {
  return one !== other && folded(one) === folded(other)
}

/** Whether two of these keys are alike. */
export function hasAlike(keys: readonly string[]): boolean {
  return keys.length > 1 && new Set(keys.map(folded)).size < keys.length
}

/** The object without keys that some readers take for this field, although nobody here has checked them. */
export function withoutTwins<T extends object>(object: T, field: string): T | { [key: string]: unknown } {
  const entries = Object.entries(object)
  const own = entries.filter(([key]) => !isAlike(key, field))
  return own.length === entries.length ? object : Object.fromEntries(own)
}

/** Both ways, for the long s and the Kelvin sign. */
function folded(text: string): string {
  return text.toUpperCase().toLowerCase()
}

/** Names that the code here relies on. */
export class KnownNames {
  readonly #names: ReadonlySet<string>
  readonly #folded: ReadonlySet<string>
  readonly #longest: number

  constructor(names: readonly string[]) {
    this.#names = new Set(names)
    this.#folded = new Set(names.map(folded))
    this.#longest = Math.max(...names.map(({ length }) => length))
  }

  /** A key that is none of them, but that some readers take for one of them. */
  twinIn(object: object): string | undefined {
    for (const key in object) {
      if (this.#names.has(key) || key.length > this.#longest) continue
      if (this.#folded.has(folded(key))) return key
    }
    return undefined
  }
}
