import type { Node } from 'jsonc-parser'
import {
  blanksBefore,
  endOf,
  endOfLineComments,
  endsInLineComment,
  propertiesOf,
  skipTrivia,
  type TextEdit,
} from './jsonc-text.ts'

export type PlainValue = string | number | boolean | readonly PlainValue[] | { readonly [key: string]: PlainValue }

/** What stood between the braces of an object that had no properties: put back when it has none again. */
export type EmptyInside = string

export interface Insertion {
  edits: TextEdit[]
  inside?: EmptyInside
}

/**
 * Appends properties behind the last one in the manner of the file: its line ends, its indentation, its trailing comma,
 * comments staying on their lines. `removeProperty` is its exact inverse.
 */
export function insertProperties(text: string, object: Node, properties: ReadonlyMap<string, PlainValue>): Insertion {
  const last = propertiesOf(object).at(-1)
  return last === undefined ? fillEmpty(text, object, properties) : append(text, last, properties)
}

function fillEmpty(text: string, object: Node, properties: ReadonlyMap<string, PlainValue>): Insertion {
  const inside = text.slice(object.offset + 1, endOf(object) - 1)
  const tail = blanksBefore(inside, inside.length)
  const eol = lineEndOf(text)
  const outer = lineIndentAt(text, object.offset)
  const style = { eol, unit: indentUnitOf(text), indent: outer + indentUnitOf(text) }
  const isOneLine = !text.includes('\n') && object.parent !== undefined
  const list = [...properties].map(([key, value]) => (isOneLine ? inOneLine(key, value) : inLines(key, value, style)))
  const before = isOneLine ? '' : eol + style.indent
  const after = isOneLine || tail.includes('\n') ? tail : eol + outer
  const from = endOf(object) - 1 - tail.length
  return { edits: [{ from, to: endOf(object) - 1, text: before + list.join(`,${before}`) + after }], inside }
}

function append(text: string, last: Node, properties: ReadonlyMap<string, PlainValue>): Insertion {
  const lead = blanksBefore(text, last.offset)
  const comma = skipTrivia(text, endOf(last))
  const hasTrailingComma = text[comma] === ','
  const anchor = hasTrailingComma ? comma + 1 : endOf(last)
  const at = endOfLineComments(text, anchor)
  const eol = lineEndOf(text)
  const isOneLine = !lead.includes('\n') && !endsInLineComment(text.slice(anchor, at))
  const indent = lead.slice(lead.lastIndexOf('\n') + 1)
  const between = isOneLine ? lead : eol + indent
  const list = [...properties].map(([key, value]) =>
    isOneLine ? inOneLine(key, value) : inLines(key, value, { eol, indent, unit: indentUnitOf(text) }),
  )
  const added = between + list.join(`,${between}`)
  if (hasTrailingComma) return { edits: [{ from: at, to: at, text: `${added},` }] }
  if (at === anchor) return { edits: [{ from: at, to: at, text: `,${added}` }] }
  return {
    edits: [
      { from: anchor, to: anchor, text: ',' },
      { from: at, to: at, text: added },
    ],
  }
}

interface LineStyle {
  eol: string
  indent: string
  unit: string
}

function inLines(key: string, value: PlainValue, style: LineStyle): string {
  const lines = JSON.stringify(value, undefined, style.unit).split('\n')
  return `${JSON.stringify(key)}: ${lines.join(style.eol + style.indent)}`
}

function inOneLine(key: string, value: PlainValue): string {
  return `${JSON.stringify(key)}:${JSON.stringify(value)}`
}

export const lineEndOf = (text: string) => /\r?\n/.exec(text)?.[0] ?? '\n'
export const indentUnitOf = (text: string) => /\n([ \t]+)["/]/.exec(text)?.[1] ?? '  '
export const lineIndentAt = (text: string, offset: number) =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset))?.[0] ?? ''
