import { invalid } from '@toolhaven/core/errors'

export interface SearchLimits {
  /** Files and folders that are looked at. */
  entries: number
  /** Folders that are looked into, each of which is watched. */
  folders: number
  /** Things that are covered, each of which is a mount. */
  covers: number
  /** Processor time spent on comparing names with rules. */
  matchingMs: number
}

export const SEARCH_LIMITS: SearchLimits = { entries: 100_000, folders: 10_000, covers: 1_000, matchingMs: 10_000 }

/** What one folder may cost. Beyond it nothing is half done: the start is refused. */
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
    const advice = 'name big folders as a whole in .thvignore, or mount a smaller folder'
    throw invalid(`what to hide in ${this.#root} cannot be found out: ${WORDS[what](this.#limits[what])}; ${advice}`)
  }
}

const WORDS: Record<keyof SearchLimits, (limit: number) => string> = {
  entries: (limit) => `it holds more than ${limit} files and folders`,
  folders: (limit) => `it holds more than ${limit} folders`,
  covers: (limit) => `more than ${limit} things in it are to be hidden one by one`,
  matchingMs: (limit) => `comparing names with the rules takes more than ${limit / 1000} s`,
}
