/** A character, `?`, `*`, or a set of characters in brackets. */
type Token = string | typeof ANY | typeof STAR | { isOthers: boolean; ranges: [from: string, to: string][] }

const ANY = Symbol('?')
const STAR = Symbol('*')

/** What one name, without slashes, is compared with; undefined when it is malformed, and so fits no name. */
export type NamePattern = readonly Token[]

export function parseNamePattern(text: string): NamePattern | undefined {
  const characters = Array.from(text)
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
      const set = parseSet(characters, at + 1)
      if (set === undefined) return undefined
      tokens.push(set.token)
      at = set.end
    } else tokens.push(character)
  }
  return tokens
}

function parseSet(characters: readonly string[], start: number): { token: Token; end: number } | undefined {
  const isOthers = characters[start] === '!' || characters[start] === '^'
  const first = isOthers ? start + 1 : start
  const ranges: [string, string][] = []
  let at = first
  const take = () => (characters[at] === '\\' ? characters[(at += 2) - 1] : characters[at++])
  // A bracket that comes first is one of the set.
  while (at === first || characters[at] !== ']') {
    const from = take()
    if (from === undefined) return undefined
    const isRange = characters[at] === '-' && characters[at + 1] !== ']' && at + 1 < characters.length
    if (isRange) at += 1
    const to = isRange ? take() : from
    if (to === undefined) return undefined
    ranges.push([from, to])
  }
  return { token: { isOthers, ranges }, end: at }
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
