import { parse } from 'smol-toml'

/** A table of the file, from its header to the next one. */
export interface TomlSection {
  /** `mcp_servers.time` is two words. */
  path: readonly string[]
  /** Its place among all tables of the file. */
  index: number
  from: number
  /** Behind its last line. Blank lines and comments after it belong to what follows. */
  to: number
}

/** The tables of a file that is known to be TOML, in order. What stands before the first header is in none. */
export function tomlSections(text: string): TomlSection[] {
  const sections: TomlSection[] = []
  for (let at = 0; at < text.length;) {
    const start = skipBlanks(text, at)
    const end = endOfStatement(text, start)
    const current = sections.at(-1)
    if (text[start] === '[')
      sections.push({ from: at, to: end, path: pathOf(text.slice(start, end)), index: sections.length })
    else if (current && /[^#\r\n]/.test(text[start] ?? '')) current.to = end
    at = end
  }
  return sections
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\t') at += 1
  return at
}

/** A header, a comment, or a key with its value, which may have several lines. */
function scanStatement(text: string, from: number): { end: number; contentEnd: number } {
  let depth = 0
  let contentEnd = from
  for (let at = from; at < text.length;) {
    const character = text[at] ?? ''
    if (character === '\n' && depth <= 0) return { end: at + 1, contentEnd }
    if (character === '#') {
      at = lineEnd(text, at)
      continue
    }
    if (character === '[' || character === '{') depth += 1
    if (character === ']' || character === '}') depth -= 1
    at = character === '"' || character === "'" ? endOfString(text, at, character) : at + 1
    if (!/\s/.test(character)) contentEnd = at
  }
  return { end: text.length, contentEnd }
}

/** Behind the line end that closes it. */
const endOfStatement = (text: string, from: number) => scanStatement(text, from).end

/** Where the value of a key stands in the text of one table, without the comment behind it. */
export function valueIn(table: string, key: string): { from: number; to: number } | undefined {
  for (let at = endOfStatement(table, 0); at < table.length;) {
    const { end, contentEnd } = scanStatement(table, at)
    const [name] = Object.keys(parse(table.slice(at, contentEnd)))
    // No key that we look for has "=" in its name.
    if (name === key) return { from: skipBlanks(table, table.indexOf('=', at) + 1), to: contentEnd }
    at = end
  }
  return undefined
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

function endOfString(text: string, from: number, quote: '"' | "'"): number {
  const isLong = text.startsWith(quote.repeat(3), from)
  const close = isLong ? quote.repeat(3) : quote
  for (let at = from + close.length; at < text.length; at += 1) {
    if (quote === '"' && text[at] === '\\') at += 1
    else if (text.startsWith(close, at)) {
      const end = at + close.length
      // A long string may end in quotes of its own.
      return isLong ? skipAll(text, end, quote) : end
    }
  }
  return text.length
}

function skipAll(text: string, from: number, character: string): number {
  let at = from
  while (text[at] === character) at += 1
  return at
}

function pathOf(header: string): string[] {
  const path: string[] = []
  for (let value: unknown = parse(header); ;) {
    const table: unknown = Array.isArray(value) ? value[0] : value
    const [first] = Object.entries(Object(table))
    if (first === undefined) return path
    path.push(first[0])
    value = first[1]
  }
}
