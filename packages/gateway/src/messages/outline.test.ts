import { isUtf8 } from 'node:buffer'
import { describe, expect, test } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { isWhole, outlineOf } from './outline.ts'

const LONG = 6

const read = (text: string): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** What the outline must contain: `true` in place of long strings. */
const expected = (text: string): unknown =>
  JSON.parse(text, (_key, value: unknown, { source }: { source?: string }) =>
    typeof value === 'string' && Buffer.byteLength(source ?? '') - 2 > LONG ? true : value,
  )

/** Cuts the bytes at these places, except where that would split a character. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b)
  const parts = ends.slice(1).map((end, at) => bytes.subarray(ends[at], end))
  return parts.every((part) => isUtf8(part)) ? parts : [bytes]
}

const outlined = (bytes: Buffer, places: readonly number[] = []) => {
  const outline = isUtf8(bytes) ? outlineOf(cut(bytes, places), LONG) : undefined
  return outline === undefined ? undefined : read(outline)
}

const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('"', '\\', 'u', '0', 'é', '\n', '\u0000', 'x', '/', '\u2028'), maxLength: 40 }),
)
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    texts,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string({ maxLength: 3 }), tie('value'), { maxKeys: 4 }),
  ),
})).value

/** JSON bytes with a few inserted, removed or replaced. */
const mutations = fc.array(
  fc.record({
    where: fc.double({ min: 0, max: 1, noNaN: true }),
    taken: fc.integer({ min: 0, max: 2 }),
    put: fc.oneof(
      fc.uint8Array({ maxLength: 2 }),
      fc
        .constantFrom(
          '"',
          '\\',
          '\\u',
          '\\u00g0',
          '\\ud800',
          '\\x',
          '\n',
          '\t',
          ' ',
          ',',
          ':',
          '{',
          ']',
          'true',
          '\u2029',
        )
        .map((text) => Uint8Array.from(Buffer.from(text))),
    ),
  }),
  { maxLength: 3 },
)

function mutated(bytes: Buffer, changes: typeof mutations extends fc.Arbitrary<infer T> ? T : never): Buffer {
  return changes.reduce((seen, { where, taken, put }) => {
    const at = Math.floor(where * seen.length)
    return Buffer.concat([seen.subarray(0, at), put, seen.subarray(at + taken)])
  }, bytes)
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const decoded = (bytes: Buffer) => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

describe('the outline of a JSON text', () => {
  test('says what the text says but for its long strings', () => {
    fc.assert(
      fc.property(
        values,
        fc.constantFrom(undefined, 1, '\t'),
        fc.integer({ min: 0, max: 3 }),
        fc.array(fc.nat(200), { maxLength: 3 }),
        (value, space, offset, places) => {
          const text = JSON.stringify(value, undefined, space)
          // Wherever it is in memory.
          const bytes = Buffer.concat([Buffer.alloc(offset, '"'), Buffer.from(text)]).subarray(offset)
          expect(outlined(bytes, places)).toEqual({ value: expected(text) })
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('is none, or no JSON, whenever the text is none', () => {
    fc.assert(
      fc.property(values, mutations, fc.array(fc.nat(200), { maxLength: 3 }), (value, changes, places) => {
        const bytes = mutated(Buffer.from(JSON.stringify({ text: value, more: 'long enough' })), changes)
        const seen = outlined(bytes, places)
        if (seen === undefined) return
        const text = decoded(bytes)
        expect(text).toBeDefined()
        expect(seen).toEqual({ value: expected(text ?? '') })
      }),
      { numRuns: 5000 },
    )
  })

  test.each(Array.from({ length: 0x20 }, (_, code) => code))(
    'is none with the control character %i in a string',
    (code) => {
      for (let before = 0; before < 8; before++) {
        const text = `["${'x'.repeat(before)}${String.fromCodePoint(code)}xxxxxxx"]`
        expect(outlineOf([Buffer.from(text)], LONG)).toBeUndefined()
      }
    },
  )

  test.each([
    '"abcdefgh',
    '"abcdefgh\\',
    '"abcdefgh\\"',
    '"abcdefgh\\u12',
    '"abcdefgh\\u12"',
    '"abcdefgh\\u12g4"',
    '"abcdefg\\x"',
  ])('is none with a string that is none: %s', (text) => {
    expect(outlineOf([Buffer.from(text)], LONG)).toBeUndefined()
  })

  test('is not JSON where a long string is a key', () => {
    expect(outlineOf([Buffer.from('{"abcdefgh":1}')], LONG)).toBe('{true:1}')
  })

  test('keeps a byte order mark, which no JSON begins with', () => {
    expect(outlined(Buffer.from('\uFEFF["abcdefgh"]'))).toBeUndefined()
  })

  test('is none of a text that is long in other ways', () => {
    expect(outlineOf([Buffer.from(JSON.stringify(Array.from({ length: 5000 }, (_, at) => at)))])).toBeUndefined()
    expect(outlineOf([Buffer.from(JSON.stringify(['x'.repeat(5000), 'y'.repeat(5000)]))])).toBe('[true,true]')
  })
})

test.each([
  [{ a: 'short' }, true],
  [{ a: true }, false],
  ['true', false],
  [{ a: [{ b: true }] }, false],
  [null, true],
])('whether a value of an outline is whole: %j', (value, whole) => {
  expect(isWhole(value)).toBe(whole)
})
