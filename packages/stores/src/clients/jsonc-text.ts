import { invalid } from '@toolhaven/core/errors'
import { type Node, parseTree, type ParseError, printParseErrorCode } from 'jsonc-parser'

export interface TextEdit {
  from: number
  to: number
  text: string
}

/** Edits must not overlap; they all refer to the text as it was. */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string {
  let result = text
  for (const edit of edits.toSorted((a, b) => b.from - a.from)) {
    result = result.slice(0, edit.from) + edit.text + result.slice(edit.to)
  }
  return result
}

/** The root object of JSON with comments and trailing commas; refuses anything else, saying where it stops making sense. */
export function parseJsoncObject(text: string, file: string): Node {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first !== undefined) throw unreadable(text, first.offset, file, inWords(printParseErrorCode(first.error)))
  if (root?.type !== 'object') throw unreadable(text, root?.offset ?? 0, file, 'an object in braces is needed')
  return root
}

export function unreadable(text: string, offset: number, file: string, reason: string) {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  const column = offset - before.lastIndexOf('\n')
  return invalid(
    `${file} was left as it is, because it cannot be read at line ${line}, column ${column}: ${reason}; correct it and try again`,
  )
}

export const propertiesOf = (object: Node): readonly Node[] => object.children ?? []
export const endOf = (node: Node): number => node.offset + node.length
export const keyOf = (property: Node): string => String(property.children?.[0]?.value)
export const valueOf = (property: Node): Node | undefined => property.children?.[1]

/** If a key appears twice, the last one counts, as in every JSON reader. */
export function findProperty(object: Node, key: string): Node | undefined {
  return propertiesOf(object).findLast((property) => keyOf(property) === key)
}

export function stringIn(object: Node | undefined, key: string): string | undefined {
  const property = object?.type === 'object' ? findProperty(object, key) : undefined
  const value: unknown = property && valueOf(property)?.value
  return typeof value === 'string' ? value : undefined
}

/** Skips blanks and comments. */
export function skipTrivia(text: string, from: number): number {
  TRIVIA.lastIndex = from
  TRIVIA.test(text)
  return TRIVIA.lastIndex
}

/** End of the comments that stand on the same line behind a place, or the place itself. */
export function endOfLineComments(text: string, from: number): number {
  SAME_LINE_COMMENTS.lastIndex = from
  SAME_LINE_COMMENTS.test(text)
  return SAME_LINE_COMMENTS.lastIndex
}

/** The blanks that end right before a place. */
export function blanksBefore(text: string, offset: number): string {
  let from = offset
  while (from > 0 && /\s/.test(text.charAt(from - 1))) from -= 1
  return text.slice(from, offset)
}

/** Whether blanks, commas and comments end in a comment that only a line end closes. */
export function endsInLineComment(trivia: string): boolean {
  let last = ''
  for (const [piece] of trivia.matchAll(/[\s,]+|\/\/[^\r\n]*|\/\*[^]*?\*\//g)) last = piece
  return last.startsWith('//')
}

const TRIVIA = /(?:\s+|\/\/[^\r\n]*|\/\*[^]*?\*\/)*/y
const SAME_LINE_COMMENTS = /(?:[ \t]*(?:\/\*[^]*?\*\/|\/\/[^\r\n]*))*/y

const inWords = (code: string) => code.replaceAll(/(?<!^)([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)
