import { invalid } from '@toolhaven/core/errors'
import { fitsPath, namesOf, parsePathPattern } from './path-pattern.ts'

/** The rules of one ignore file, in the syntax of gitignore. */
export interface IgnoreRules {
  /**
   * The pattern that hides a path below the file's folder; undefined if none does. Never called for paths in a hidden
   * folder, because hidden folders are not searched.
   */
  hides(relativePath: string, isFolder: boolean): string | undefined
}

export interface IgnoreRulesOptions {
  /** The file's name in errors. */
  label: string
  /** As Git does on file systems that ignore case. */
  ignoreCase: boolean
}

/** Undefined if the file contains no rule. */
export function parseIgnoreRules(text: string, options: IgnoreRulesOptions): IgnoreRules | undefined {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const patterns = [...lines.entries()].filter(([, line]) => line.trim() !== '' && !line.startsWith('#'))
  if (patterns.length === 0) return undefined
  if (patterns.length > MAX_PATTERNS)
    throw invalid(`${options.label} has more than ${MAX_PATTERNS} patterns; hide whole folders instead`)

  const { ignoreCase } = options
  const parsed = patterns.flatMap(([at, line]) => {
    const where = `${options.label}, line ${at + 1}`
    checkLength(line, where)
    return parsePathPattern(line, { ignoreCase, where }) ?? []
  })
  return {
    hides: (path, isFolder) => {
      const names = namesOf(path, ignoreCase)
      const found = parsed.findLast((pattern) => (isFolder || !pattern.isForFolders) && fitsPath(pattern, names))
      return found?.isNegated === false ? found.line : undefined
    },
  }
}

const MAX_PATTERNS = 500
const MAX_PATTERN_LENGTH = 1024

/** Limits long patterns, because a server with write access can add them, and matching costs pattern length times path length. */
function checkLength(line: string, where: string): void {
  if (line.length > MAX_PATTERN_LENGTH)
    throw invalid(`${where}: the pattern is longer than ${MAX_PATTERN_LENGTH} characters; shorten it`)
}
