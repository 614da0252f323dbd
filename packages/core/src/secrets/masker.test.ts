import { expect, test } from 'vitest'
import { anyText } from '@toolhaven/testing/any-text'
import { fc } from '@toolhaven/testing/properties'
import { createMasker } from './masker.ts'

test('values are replaced wherever they turn up, until they are released', () => {
  const masker = createMasker()
  masker.hold('web', ['hunter22'])
  expect(masker.mask('x hunter22 y hunter22')).toBe('x [secret] y [secret]')
  masker.release('web')
  expect(masker.mask('hunter22')).toBe('hunter22')
  masker.release('web')
})

test('a value that two hold stays hidden until both let go', () => {
  const masker = createMasker()
  masker.hold('a', ['hunter22'])
  masker.hold('b', ['hunter22'])
  masker.release('a')
  expect(masker.mask('hunter22')).toBe('[secret]')
})

test('what an owner holds replaces what it held', () => {
  const masker = createMasker()
  masker.hold('a', ['old-value'])
  masker.hold('a', ['new-value'])
  expect(masker.mask('old-value new-value')).toBe('old-value [secret]')
})

test('a value inside another leaves no remainder', () => {
  const masker = createMasker()
  masker.hold('a', ['pass', 'password-1'])
  expect(masker.mask('password-1 pass')).toBe('[secret] [secret]')
})

test('values are known in JSON, in URLs and line by line', () => {
  const masker = createMasker()
  masker.hold('a', ['a "b"\\ c/d', 'first line\nsecond line', '日本語の鍵'])
  for (const text of [
    'a "b"\\ c/d',
    'a \\"b\\"\\\\ c/d',
    encodeURIComponent('a "b"\\ c/d'),
    'first line',
    'second line',
    'first line\\nsecond line',
    '日本語の鍵',
    encodeURIComponent('日本語の鍵'),
  ]) {
    expect(masker.mask(`<${text}>`)).toBe('<[secret]>')
  }
})

test('values too short to tell from ordinary text are left', () => {
  const masker = createMasker()
  masker.hold('a', ['1', 'abc', ''])
  expect(masker.mask('1 abc 1')).toBe('1 abc 1')
})

test('no value of four characters or more survives in any text, not even a lone surrogate', () => {
  fc.assert(
    fc.property(
      fc.array(anyText({ minLength: 4, maxLength: 30 }), { minLength: 1, maxLength: 4 }),
      fc.string(),
      (values, around) => {
        const masker = createMasker()
        masker.hold('a', values)
        const masked = masker.mask(`${around}${values.join(around)}${around}`)
        const leaked = values.filter((value) => masked.includes(value) && !around.includes(value) && !isRebuilt(value))
        expect(leaked).toEqual([])
      },
    ),
  )
})

/** A value made of the mask's own letters may appear again by the mask itself. */
function isRebuilt(value: string): boolean {
  return '[secret]'.includes(value) || /[[\]]|secre|ecret/.test(value)
}
