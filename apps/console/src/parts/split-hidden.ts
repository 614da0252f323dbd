import { HIDDEN } from '@toolhaven/contract/visible-text'

export interface TextPart {
  text: string
  isHidden: boolean
}

/** Where only plain text can stand, such as in a list to choose from. */
export function visibleText(text: string): string {
  return splitHidden(text)
    .map((part) => part.text)
    .join('')
}

/** Splits a text into visible pieces, kept as they are, and invisible characters, shown by their code points. */
export function splitHidden(text: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  for (const { 0: hidden, index } of text.matchAll(HIDDEN)) {
    // A page shows these two as what they are.
    if (hidden === '\n' || hidden === '\t') continue
    if (index > end) parts.push({ text: text.slice(end, index), isHidden: false })
    const number = (hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    parts.push({ text: `U+${number}`, isHidden: true })
    end = index + hidden.length
  }
  if (end < text.length) parts.push({ text: text.slice(end), isHidden: false })
  return parts
}
