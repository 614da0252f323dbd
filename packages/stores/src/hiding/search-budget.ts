import { invalid } from '@toolhaven/core/errors'

export interface SearchLimits {
  /** Files and folders that are examined. */
  entries: number
  /** Folders that are searched. Each is also watched. */
  folders: number
  /** Files and folders that are covered. Each cover is a mount. */
  covers: number
  /** CPU time spent on comparing names with rules. */
  matchingMs: number
}

export const SEARCH_LIMITS: SearchLimits = { entries: 100_000, folders: 10_000, covers: 1_000, matchingMs: 10_000 }

/** The limits for searching one folder. If one is exceeded, the start is refused. */
export class SearchBudget {
  readonly #root: string
  readonly #limits: SearchLimits
  readonly #spent: SearchLimits = { entries: 0, folders: 0, covers: 0, matchingMs: 0 }

  constructor(root: string, limits: SearchLimits) {
    this.#root = root
    this.#limits = limits
  }

  spend(what: keyof SearchLimits, amount = 1): void {
    const spent = (this.#spent[what] += amount)
    if (spent <= this.#limits[what]) return
    const advice = 'name whole folders in .thvignore, or mount a smaller folder'
    throw invalid(`cannot find out what to hide in ${this.#root}: ${WORDS[what](this.#limits[what])}; ${advice}`)
  }
}

const WORDS: Record<keyof SearchLimits, (limit: number) => string> = {
  entries: (limit) => `it contains more than ${limit} files and folders`,
  folders: (limit) => `it contains more than ${limit} folders`,
  covers: (limit) => `more than ${limit} files and folders in it would be hidden one by one`,
  matchingMs: (limit) => `comparing names with the rules takes more than ${limit / 1000} s`,
}
