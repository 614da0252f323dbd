import { invalid } from '@toolhaven/core/errors'
import ignore, { type Ignore } from 'ignore'

/** The rules of one ignore file, in the syntax of gitignore. */
export interface IgnoreRules {
  /** The pattern that hides a path below the file's folder; undefined when none does. */
  hides(relativePath: string, isFolder: boolean): string | undefined
}

export interface IgnoreRulesOptions {
  /** As the file is called in errors. */
  label: string
  /** As git does where the file system does. */
  ignoreCase: boolean
}

/** Undefined when there is no rule in it. */
export function parseIgnoreRules(text: string, options: IgnoreRulesOptions): IgnoreRules | undefined {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const patterns = lines.filter((line) => line.trim() !== '' && !line.startsWith('#'))
  if (patterns.length === 0) return undefined
  if (patterns.length > MAX_PATTERNS)
    throw invalid(`${options.label} has more than ${MAX_PATTERNS} patterns; hide whole folders instead`)
  for (const [at, line] of lines.entries()) checkCost(line, `${options.label}, line ${at + 1}`)

  const make = () => ignore({ ignorecase: options.ignoreCase }).add(patterns)
  let matcher: Ignore = make()
  let asked = 0
  return {
    hides: (relativePath, isFolder) => {
      // The matcher remembers every path it was asked about.
      if ((asked += 1) % REMEMBERED_PATHS === 0) matcher = make()
      return matcher.test(isFolder ? `${relativePath}/` : relativePath).rule?.pattern
    },
  }
}

const MAX_PATTERNS = 500
const MAX_PATTERN_LENGTH = 1024
const REMEMBERED_PATHS = 5_000

/** Where a server may write, it may write patterns too: none may take long to match. */
function checkCost(line: string, where: string): void {
  if (line.startsWith('#')) return
  if (line.length > MAX_PATTERN_LENGTH)
    throw invalid(`${where}: the pattern is longer than ${MAX_PATTERN_LENGTH} characters; shorten it`)
  const segments = line.split('/')
  const wildest = Math.max(...segments.map((segment) => segment.match(/\*+/g)?.length ?? 0))
  const levels = segments.filter((segment) => segment === '**').length
  if (wildest > 3 || levels > 3)
    throw invalid(
      `${where}: at most three "*" in one name and three "**" in a pattern can be matched; write it simpler`,
    )
}
