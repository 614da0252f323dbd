import { fc } from '@toolhaven/testing/properties'
import { expect, test } from 'vitest'
import { excerpt, printable, visibleText } from './visible-text.ts'

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

test.each([
  ['an ANSI sequence', '\u001B[31mred\u001B[0m', '\\u{1b}[31mred\\u{1b}[0m'],
  ['a title of the window', '\u001B]0;root\u0007', '\\u{1b}]0;root\\u{7}'],
  ['marks of direction', '\u202Eevil\u2069', '\\u{202e}evil\\u{2069}'],
  ['zero width characters', 'pay\u200Bpal\uFEFF', 'pay\\u{200b}pal\\u{feff}'],
  ['the tags block, which only models read', 'hi\u{E0041}', 'hi\\u{e0041}'],
  ['half of a pair', 'a\uD800b', 'a\\u{d800}b'],
  ['lines that would look like our own', 'a\r\nError: b\u2028c', 'a Error: b c'],
])('%s is printed harmlessly', (_what, text, shown) => {
  expect(printable(text)).toBe(shown)
})

test('what can do no harm is printed as it is', () => {
  const harmless = 'Grüße, 世界 🎉\t"C:\\temp" ❤️ 👩‍💻 1️⃣ 100\u00A0%'
  expect(printable(harmless)).toBe(harmless)
})

test('no text is printed with a control character or a mark of direction, nor differently the second time', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const shown = printable(text)
      expect(shown.replaceAll('\t', '')).not.toMatch(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u)
      expect(printable(shown)).toBe(shown)
    }),
  )
})

test('an excerpt is short and never ends in half a character', () => {
  expect(excerpt('a\u0000\tb')).toBe('a\\u{0} b')
  expect(excerpt('x'.repeat(79) + '😀')).toBe(`${'x'.repeat(79)}…`)
})
