/**
 * Whatever a reader would not see, or what would change how the rest is seen: controls (ANSI sequences begin with one),
 * format characters (zero width, bidirectional, the tags block), fillers, variation selectors, private and unassigned
 * code points, lone surrogates, and every space but the plain one.
 */
export const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Text of a server with everything in it in sight: safe in a terminal, and no two texts look the same for what they hide. */
export function visibleText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll(HIDDEN, (hidden) => SHORT[hidden] ?? writtenOut(hidden))
}

/** Most text is plain ASCII, for which no table of characters is needed. */
const PLAIN = /^[\t\u0020-\u007E]*$/

const LINE_ENDS = /[\n\v\f\r\u0085\u2028\u2029]+/g
/** Spaces of other widths, and what makes one emoji of several characters, do no harm. */
const UNSAFE = /(?!\t|(?<=[\p{Emoji}\uFE0F])(?:\u200D|\uFE0F))[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu

/**
 * Text from outside for a terminal, a log or a sentence: on one line, and with nothing in it that drives the terminal, turns
 * the direction of the rest or hides. What is left out is written out, but a backslash stays one.
 */
export function printable(text: string): string {
  return PLAIN.test(text) ? text : text.replaceAll(LINE_ENDS, ' ').replaceAll(UNSAFE, writtenOut)
}

/** The same, short enough to be repeated in a sentence. */
export function excerpt(text: string, max = 80): string {
  const shown = printable(text).replaceAll('\t', ' ')
  // The cut must not leave half of a surrogate pair.
  return shown.length > max ? `${shown.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')}…` : shown
}

function writtenOut(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
