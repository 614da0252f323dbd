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

/** The classes of POSIX. As in git, they hold ASCII characters only, and neither a vertical tab nor a form feed is a space. */
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

/** What one name, without slashes, is compared with; undefined when it is malformed, and so fits no name. */
export type NamePattern = readonly Token[]

export interface NamePatternOptions {
  ignoreCase: boolean
  /** As errors name the line. */
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
  // A bracket that comes first is one of the set.
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
    // As in git, a range that runs backwards still holds its first character.
    ranges.push([from, from], [from, to])
  }
  return { token: { isOthers, ranges }, end: at }
}

/** Up to the next bracket, as in git: `[:` without `:]` is two characters of the set. */
function classNameAt(characters: readonly string[], at: number): string | undefined {
  if (characters[at] !== '[' || characters[at + 1] !== ':') return undefined
  const end = characters.indexOf(']', at + 2)
  return end > at + 2 && characters[end - 1] === ':' ? characters.slice(at + 2, end - 1).join('') : undefined
}

/** A class that nobody knows must not hide nothing without a word. */
function rangesOfClass(name: string, { ignoreCase, where }: NamePatternOptions): readonly Range[] {
  // Names are compared in lower case then.
  const ranges = CLASSES.get(ignoreCase && name === 'upper' ? 'lower' : name)
  if (ranges === undefined)
    throw invalid(
      `${where}: there is no class of characters [:${name}:]; use one of ${[...CLASSES.keys()].join(', ')}, or put a backslash before its first bracket`,
    )
  return ranges
}

/** Takes as long as the name times the pattern at most: after a mismatch only the last `*` takes one character more. */
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
