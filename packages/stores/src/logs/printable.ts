/**
 * Text that is safe to show on a terminal: control characters other than tab are written out (`\x1b`), and so are the
 * Unicode characters that turn the direction of text or break lines where nobody sees it.
 */
export function printable(text: string): string {
  return UNSAFE.test(text) ? text.replaceAll(ALL_UNSAFE, escape) : text
}

// eslint-disable-next-line no-control-regex -- control characters are what this is about
const UNSAFE = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/u
const ALL_UNSAFE = new RegExp(UNSAFE, 'gu')

function escape(character: string): string {
  const code = character.charCodeAt(0).toString(16)
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`
}
