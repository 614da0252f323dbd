import { fitsName, type NamePattern, type NamePatternOptions, parseNamePattern } from './name-pattern.ts'

/** A line of an ignore file. */
export interface PathPattern {
  readonly line: string
  readonly isNegated: boolean
  readonly isForFolders: boolean
  /** Folders at the start of the path, before the last `**`; undefined if there is no `**`. */
  readonly beginning: readonly (NamePattern | typeof LEVELS)[] | undefined
  readonly ending: readonly NamePattern[]
}

/** A path as a list of names, each a list of characters. */
export type NamesOfPath = readonly (readonly string[])[]

/** Matches any number of folders: `**` between slashes. */
const LEVELS = Symbol('**')
const ANY_NAME = parseNamePattern('*', { ignoreCase: false, where: '' }) ?? []

/** Parses a line in gitignore syntax; undefined for a line that matches no path. */
export function parsePathPattern(line: string, options: NamePatternOptions): PathPattern | undefined {
  const isNegated = line.startsWith('!')
  const trimmed = withoutSpacesBehind(isNegated ? line.slice(1) : line)
  const isForFolders = trimmed.endsWith('/')
  const path = isForFolders ? trimmed.slice(0, -1) : trimmed
  const texts = path.split('/')
  // A slash ties a pattern to the file's folder. A leading slash has no other effect.
  if (texts.length === 1) texts.unshift('**')
  else if (texts[0] === '') texts.shift()
  const names: (NamePattern | typeof LEVELS)[] = []
  for (const [at, text] of texts.entries()) {
    const name = /^\*{2,}$/.test(text) ? LEVELS : parseNamePattern(text, options)
    if (name === undefined || text === '') return undefined
    if (name !== LEVELS || names.at(-1) !== LEVELS) names.push(name)
    // At the end, it matches the contents of the folder, not the folder itself.
    if (name === LEVELS && at === texts.length - 1) names.push(ANY_NAME)
  }
  const last = names.lastIndexOf(LEVELS)
  const ending = names.slice(last + 1).filter((name) => name !== LEVELS)
  return { line, isNegated, isForFolders, beginning: last === -1 ? undefined : names.slice(0, last), ending }
}

function withoutSpacesBehind(text: string): string {
  const trimmed = text.trimEnd()
  const isEscaped = /(?:^|[^\\])(?:\\\\)*\\$/.test(trimmed) && trimmed.length < text.length
  return isEscaped ? `${trimmed} ` : trimmed
}

export function namesOf(path: string, ignoreCase: boolean): NamesOfPath {
  return (ignoreCase ? path.toLowerCase() : path).split('/').map((name) => Array.from(name))
}

/** Takes at most path length times pattern length. */
export function fitsPath({ beginning, ending }: PathPattern, path: NamesOfPath): boolean {
  const rest = path.length - ending.length
  // Most patterns consist of one name, which is compared with the last name of the path.
  if (rest < 0 || (beginning === undefined && rest > 0) || !fitsAt(ending, path, rest)) return false
  return beginning === undefined || beginning.length === 0 || fitsBeginning(beginning, path.slice(0, rest))
}

/** Matches as few folders as possible in front of a `**`, because any number may follow. */
function fitsBeginning(pattern: readonly (NamePattern | typeof LEVELS)[], path: NamesOfPath): boolean {
  let from = 0
  let isFree = false
  for (let at = 0; at < pattern.length;) {
    if (pattern[at] === LEVELS) {
      isFree = true
      at++
      continue
    }
    const next = pattern.indexOf(LEVELS, at)
    const part = pattern.slice(at, next === -1 ? pattern.length : next).filter((name) => name !== LEVELS)
    if (isFree) while (from + part.length <= path.length && !fitsAt(part, path, from)) from++
    if (!fitsAt(part, path, from)) return false
    from += part.length
    at += part.length
  }
  return true
}

function fitsAt(pattern: readonly NamePattern[], path: NamesOfPath, start: number): boolean {
  return pattern.every((name, at) => {
    const there = path[start + at]
    return there !== undefined && fitsName(name, there)
  })
}
