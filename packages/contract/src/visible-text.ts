/**
 * Characters that a reader would not see, or that change how the rest is shown: controls (ANSI sequences begin with one), format
 * characters (zero width, bidirectional, the tags block), fillers, variation selectors, private and unassigned code points, lone
 * surrogates, and every space but the plain one.
 */
export const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Makes everything in a server's text visible: it is safe in a terminal, and two texts that differ also look different. */
export function visibleText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll(HIDDEN, (hidden) => SHORT[hidden] ?? writtenOut(hidden))
}

/** Most text is plain ASCII, which needs no table of characters. */
const PLAIN = /^[\t\u0020-\u007E]*$/

const LINE_ENDS = /[\n\v\f\r\u0085\u2028\u2029]+/g
/** Spaces of other widths, and the characters that join several emoji into one, do no harm. */
const UNSAFE = /(?!\t|(?<=[\p{Emoji}\uFE0F])(?:\u200D|\uFE0F))[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu

/**
 * Text from outside for a terminal, a log or a sentence: on one line, and with nothing in it that controls the terminal, changes
 * the text direction or hides. Such characters are escaped; a backslash stays a single one.
 */
export function printable(text: string): string {
  return PLAIN.test(text) ? text : text.replaceAll(LINE_ENDS, ' ').replaceAll(UNSAFE, writtenOut)
}

/** The same, shortened to be quoted in a sentence. */
export function excerpt(text: string, max = 80): string {
  const shown = printable(text).replaceAll('\t', ' ')
  // The cut must not leave half of a surrogate pair.
  return shown.length > max ? `${shown.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')}…` : shown
}

function writtenOut(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
