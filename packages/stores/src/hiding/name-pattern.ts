import { invalid } from '@toolhaven/core/errors'

/** A character, `?`, `*`, or a set of characters in brackets. */
type Token = string | typeof ANY | typeof STAR | { isOthers: boolean; ranges: Range[] }

type Range = readonly [from: string, to: string]

const ANY = Symbol('?')
const STAR = Symbol('*')

const DIGITS: Range = ['0', '9']
const UPPER: Range = ['A', 'Z']
const LOWER: Range = ['a', 'z']
const PUNCTUATION: readonly Range[] = [
  ['!', '/'],
  [':', '@'],
  ['[', '`'],
  ['{', '~'],
]

/** The POSIX classes. As in Git, they contain only ASCII characters, and a vertical tab or form feed is not a space. */
const CLASSES: ReadonlyMap<string, readonly Range[]> = new Map([
  ['alnum', [DIGITS, UPPER, LOWER]],
  ['alpha', [UPPER, LOWER]],
  ['blank', [one(' '), one('\t')]],
  ['cntrl', [['\0', '\x1F'], one('\x7F')]],
  ['digit', [DIGITS]],
  ['graph', [['!', '~']]],
  ['lower', [LOWER]],
  ['print', [[' ', '~']]],
  ['punct', PUNCTUATION],
  ['space', [one(' '), one('\t'), one('\n'), one('\r')]],
  ['upper', [UPPER]],
  ['xdigit', [DIGITS, ['A', 'F'], ['a', 'f']]],
])

function one(character: string): Range {
  return [character, character]
}

/** Parses the pattern for one name without slashes; undefined if it is malformed and matches no name. */
export type NamePattern = readonly Token[]

export interface NamePatternOptions {
  ignoreCase: boolean
  /** The line's name in errors. */
  where: string
}

export function parseNamePattern(text: string, options: NamePatternOptions): NamePattern | undefined {
  const characters = Array.from(options.ignoreCase ? text.toLowerCase() : text)
  const tokens: Token[] = []
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? ''
    if (character === '*') {
      if (tokens.at(-1) !== STAR) tokens.push(STAR)
    } else if (character === '?') tokens.push(ANY)
    else if (character === '\\') {
      const escaped = characters[++at]
      if (escaped === undefined) return undefined
      tokens.push(escaped)
    } else if (character === '[') {
      const set = parseSet(characters, at + 1, options)
      if (set === undefined) return undefined
      tokens.push(set.token)
      at = set.end
    } else tokens.push(character)
  }
  return tokens
}

function parseSet(
  characters: readonly string[],
  start: number,
  options: NamePatternOptions,
): { token: Token; end: number } | undefined {
  const isOthers = characters[start] === '!' || characters[start] === '^'
  const first = isOthers ? start + 1 : start
  const ranges: Range[] = []
  let at = first
  const take = () => (characters[at] === '\\' ? characters[(at += 2) - 1] : characters[at++])
  // A bracket in first place belongs to the set.
  while (at === first || characters[at] !== ']') {
    const name = classNameAt(characters, at)
    if (name !== undefined) {
      ranges.push(...rangesOfClass(name, options))
      at += `[:${name}:]`.length
      continue
    }
    const from = take()
    if (from === undefined) return undefined
    const isRange = characters[at] === '-' && characters[at + 1] !== ']' && at + 1 < characters.length
    if (isRange) at += 1
    const to = isRange ? take() : from
    if (to === undefined) return undefined
    // As in Git, a backward range still contains its first character.
    ranges.push([from, from], [from, to])
  }
  return { token: { isOthers, ranges }, end: at }
}

/** Reads up to the next bracket. As in Git, `[:` without `:]` is two characters of the set. */
function classNameAt(characters: readonly string[], at: number): string | undefined {
  if (characters[at] !== '[' || characters[at + 1] !== ':') return undefined
  const end = characters.indexOf(']', at + 2)
  return end > at + 2 && characters[end - 1] === ':' ? characters.slice(at + 2, end - 1).join('') : undefined
}

/** Refuses an unknown class, because ignoring it would silently hide nothing. */
function rangesOfClass(name: string, { ignoreCase, where }: NamePatternOptions): readonly Range[] {
  // Names are compared in lower case when case is ignored.
  const ranges = CLASSES.get(ignoreCase && name === 'upper' ? 'lower' : name)
  if (ranges === undefined)
    throw invalid(
      `${where}: unknown character class [:${name}:]; use one of ${[...CLASSES.keys()].join(', ')}, or put a backslash before its first bracket`,
    )
  return ranges
}

/** Takes at most name length times pattern length: after a mismatch, only the last `*` takes one more character. */
export function fitsName(pattern: NamePattern, name: readonly string[]): boolean {
  let at = 0
  let star = -1
  let taken = 0
  for (let here = 0; here < name.length;) {
    const token = pattern[at]
    if (token === STAR) {
      star = at++
      taken = here
    } else if (token !== undefined && fitsCharacter(token, name[here] ?? '')) {
      at++
      here++
    } else {
      if (star === -1) return false
      at = star + 1
      here = ++taken
    }
  }
  return pattern.slice(at).every((token) => token === STAR)
}

function fitsCharacter(token: Token, character: string): boolean {
  if (typeof token === 'string') return token === character
  if (typeof token === 'symbol') return true
  return token.ranges.some(([from, to]) => from <= character && character <= to) !== token.isOthers
}
