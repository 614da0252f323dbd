import { stringify } from 'yaml'
import { lineEndOf } from './jsonc-insert.ts'
import type { YamlItem, YamlNode } from './yaml-tree.ts'

/** Appends items behind the last one in the manner of the collection. `withoutItem` is its exact inverse. */
export function withItems(text: string, into: YamlNode, items: ReadonlyMap<string, unknown>): string {
  if (into.isFlow) {
    const last = into.items.at(-1)
    const list = flowText(into.kind, items)
    if (last === undefined) return splice(text, into.from + 1, 0, list)
    // A key without a value ends behind the blanks after it.
    return splice(text, text.slice(0, last.to).trimEnd().length, 0, `, ${list}`)
  }
  const indent = indentAt(text, into.from)
  return withLines(text, behindItem(text, into, indent), blockLines(text, into.kind, indent, items))
}

/** Puts whole lines into the text. A last line without an end stays the way it is, and so does the file's end. */
export function withLines(text: string, at: number, lines: readonly string[]): string {
  const eol = lineEndOf(text)
  const isLineStart = at === 0 || text[at - 1] === '\n'
  return splice(text, at, 0, isLineStart ? lines.join(eol) + eol : eol + lines.join(eol))
}

/** Takes an item out, with what stands between it and its neighbour. */
export function withoutItem(text: string, from: YamlNode, item: YamlItem): string {
  if (!from.isFlow) {
    const lines = linesOf(text, item)
    const isLast = lines.to === text.length && !text.endsWith('\n')
    const lead = isLast ? (/\r?\n$/.exec(text.slice(0, lines.from))?.[0].length ?? 0) : 0
    return splice(text, lines.from - lead, lines.to - lines.from + lead, '')
  }
  const at = from.items.indexOf(item)
  const previous = from.items[at - 1]
  const rest = text.slice(item.to)
  if (previous === undefined) return text.slice(0, item.from) + (from.items.length > 1 ? withoutComma(rest) : rest)
  const between = text.slice(previous.to, item.from)
  return text.slice(0, previous.to) + withoutComma(between) + rest
}

/** Only blanks and comments stand before the comma between two items. Comments stay. */
const withoutComma = (text: string) =>
  text.replace(/^((?:\s|#[^\n]*\n)*),[ \t]*/, (_all, before: string) => before.replace(/^[ \t]+$/, ''))

/** The lines of an item of a block collection, its comment behind the value included. */
export function linesOf(text: string, item: YamlItem): { from: number; to: number } {
  return { from: lineStart(text, item.from), to: lineAfter(text, item.to) }
}

/** Whether nothing but its indentation, and in a list its dash, stands before an item on its line. */
export function beginsItsLine(text: string, item: YamlItem): boolean {
  const lead = text.slice(lineStart(text, item.from), item.from)
  return item.keyNode === undefined ? /^ *- +$/.test(lead) : /^ *$/.test(lead)
}

/** Sets a field of a map, and leaves the others as they are. */
export function withField(text: string, map: YamlNode, field: string, value: unknown): string {
  const present = map.items.findLast((item) => item.key === field)
  if (present === undefined) return withItems(text, map, new Map([[field, value]]))
  const { from, to } = present.value
  const isPlain = !map.isFlow && typeof value !== 'object'
  const written = isPlain ? stringify(value, STYLE).trimEnd() : JSON.stringify(value)
  const before = text[from - 1] === ':' ? ' ' : ''
  const after = text[to - 1] === '\n' ? lineEndOf(text) : ''
  return splice(text, from, to - from, before + written + after)
}

const STYLE = { lineWidth: 0, blockQuote: false } as const

export function blockLines(
  text: string,
  kind: YamlNode['kind'],
  indent: string,
  items: ReadonlyMap<string, unknown>,
): string[] {
  const written = stringify(kind === 'map' ? items : [...items.values()], { ...STYLE, indent: indentUnitOf(text) })
  return written
    .trimEnd()
    .split('\n')
    .map((line) => indent + line)
}

export function flowText(kind: YamlNode['kind'], items: ReadonlyMap<string, unknown>): string {
  const list =
    kind === 'map'
      ? [...items].map(([key, value]) => `${JSON.stringify(key)}: ${flowValue(value)}`)
      : [...items.values()].map(flowValue)
  return list.join(', ')
}

const flowValue = (value: unknown) =>
  JSON.stringify(value, (_key, part: unknown) => (part instanceof Map ? Object.fromEntries(part) : part))

export const splice = (text: string, at: number, length: number, by: string) =>
  text.slice(0, at) + by + text.slice(at + length)

export const indentAt = (text: string, offset: number) =>
  /^ */.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? ''

const lineStart = (text: string, offset: number) => text.lastIndexOf('\n', offset - 1) + 1

function lineAfter(text: string, offset: number): number {
  // A block scalar ends behind its last line.
  if (offset > 0 && text[offset - 1] === '\n') return offset
  const end = text.indexOf('\n', offset)
  return end === -1 ? text.length : end + 1
}

/** Comments that are indented further than its items belong to the last one. */
function behindItem(text: string, { to }: YamlNode, indent: string): number {
  let at = lineAfter(text, to)
  for (let line = lineAt(text, at); new RegExp(`^${indent} +#`).test(line); line = lineAt(text, at)) at += line.length
  return at
}

const lineAt = (text: string, at: number) => text.slice(at, at < text.length ? lineAfter(text, at + 1) : at)

/** Blanks by which the file indents. */
const indentUnitOf = (text: string) => /^( {1,8})[^\s#]/m.exec(text)?.[1]?.length ?? 2
