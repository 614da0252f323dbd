/** Pasted into a terminal, some of these end the line or the pasting, and what follows is run. */
const CONTROL = /\p{Cc}/u

/** A word of a command as a POSIX shell takes it. */
export function quoted(word: string): string {
  if (CONTROL.test(word)) return `$'${Array.from(word, escaped).join('')}'`
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** As bash, zsh and other shells read it between `$'` and `'`. */
function escaped(character: string): string {
  if (character === "'" || character === '\\') return `\\${character}`
  if (!CONTROL.test(character)) return character
  if (character === '\n') return String.raw`\n`
  const bytes = [...new TextEncoder().encode(character)]
  return bytes.map((byte) => String.raw`\x${byte.toString(16).padStart(2, '0')}`).join('')
}
