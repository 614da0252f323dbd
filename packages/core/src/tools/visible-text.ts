/**
 * Whatever a reader would not see, or what would change how the rest is seen: controls (ANSI sequences begin with one),
 * format characters (zero width, bidirectional, the tags block), fillers, variation selectors, private and unassigned
 * code points, lone surrogates, and every space but the plain one.
 */
const HIDDEN = /[\\\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu

const SHORT: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Text of a server with everything in it in sight: safe in a terminal, and no two texts look the same for what they hide. */
export function visibleText(text: string): string {
  return text.replaceAll(HIDDEN, (hidden) => SHORT[hidden] ?? `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`)
}
