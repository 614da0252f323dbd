import type { Node } from 'jsonc-parser'
import type { EmptyInside } from './jsonc-insert.ts'
import { blanksBefore, endOf, endsInLineComment, propertiesOf, skipTrivia, type TextEdit } from './jsonc-text.ts'

/** Takes one property out with its comma and the blanks before it. Comments around it are the user's and stay. */
export function removeProperty(text: string, object: Node, property: Node, inside?: EmptyInside): TextEdit[] {
  const siblings = propertiesOf(object)
  if (siblings.length === 1) return [emptyOut(text, object, property, inside)]
  const previous = siblings[siblings.indexOf(property) - 1]
  const from = startOf(text, previous === undefined ? object.offset + 1 : endOf(previous), property)
  const comma = skipTrivia(text, endOf(property))
  if (text[comma] === ',') return cut({ from, to: endOf(property) }, { from: comma, to: comma + 1 })
  const end = { from, to: endOf(property) }
  if (previous === undefined) return cut(end)
  const commaBefore = skipTrivia(text, endOf(previous))
  return cut({ from: commaBefore, to: commaBefore + 1 }, end)
}

const cut = (...ranges: { from: number; to: number }[]): TextEdit[] => ranges.map((range) => ({ ...range, text: '' }))

function emptyOut(text: string, object: Node, property: Node, inside: EmptyInside | undefined): TextEdit {
  const from = object.offset + 1
  const to = endOf(object) - 1
  const before = text.slice(from, property.offset)
  const after = text.slice(endOf(property), to)
  const comma = skipTrivia(text, endOf(property))
  const rest = text[comma] === ',' ? text.slice(endOf(property), comma) + text.slice(comma + 1, to) : after
  if (inside !== undefined && withoutBlanks(before + rest) === withoutBlanks(inside)) return { from, to, text: inside }
  if (withoutBlanks(before + rest) === '') return { from, to, text: '' }
  return { from, to, text: before + rest }
}

/** Takes the blanks before a property too, unless their line end closes a comment that the next thing would be drawn into. */
function startOf(text: string, previousEnd: number, property: Node): number {
  const start = property.offset - blanksBefore(text, property.offset).length
  const comma = skipTrivia(text, endOf(property))
  const after = text[comma] === ',' ? comma + 1 : endOf(property)
  const isLineOver = /^[ \t]*(?:\r?\n|$)/.test(text.slice(after, after + 1000))
  return isLineOver || !endsInLineComment(text.slice(previousEnd, start)) ? start : property.offset
}

const withoutBlanks = (text: string) => text.replaceAll(/\s/g, '')
