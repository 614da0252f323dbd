import { expect, test } from 'vitest'
import { visibleText } from './visible-text.ts'

test.each([
  ['an ANSI sequence', '\u001B[31mred\u001B[0m', '\\u{1b}[31mred\\u{1b}[0m'],
  ['a C1 control', 'a\u009Bb', 'a\\u{9b}b'],
  ['zero width characters', 'a\u200Bb\u200Dc\uFEFFd', 'a\\u{200b}b\\u{200d}c\\u{feff}d'],
  ['marks of direction', '\u202Eevil\u2069', '\\u{202e}evil\\u{2069}'],
  ['the tags block', 'hi\u{E0041}\u{E007F}', 'hi\\u{e0041}\\u{e007f}'],
  ['variation selectors', 'a\uFE0Fb\u{E0100}', 'a\\u{fe0f}b\\u{e0100}'],
  ['fillers and blanks', '\u3164\u2800\u00A0\u3000', '\\u{3164}\\u{2800}\\u{a0}\\u{3000}'],
  ['line ends of every kind', 'a\nb\rc\td\u2028e', 'a\\nb\\rc\\td\\u{2028}e'],
  ['half of a pair', 'a\uD800b', 'a\\u{d800}b'],
  ['private use', '\uE000', '\\u{e000}'],
  ['a backslash, so that an escape cannot be forged', '\\u{200b}', '\\\\u{200b}'],
])('%s can be seen', (_what, text, shown) => {
  expect(visibleText(text)).toBe(shown)
})

test('text that can be seen anyway stays as it is', () => {
  expect(visibleText('Größe – 日本語 «naïve» 👍 100 %')).toBe('Größe – 日本語 «naïve» 👍 100 %')
})
