import { expect, it } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { LARGE_BYTES, type LargeLine } from './json-rpc.ts'
import { HEAD_BYTES, LineSplitter } from './line-splitter.ts'

function split(
  bytes: Buffer,
  sizes: readonly number[],
  maxBytes: number,
): { lines: string[]; dropped: [string, string][] } {
  const lines: string[] = []
  const dropped: [string, string][] = []
  const splitter = new LineSplitter({
    maxBytes,
    onLine: (line) => lines.push(line),
    onOversize: (head, tail) => dropped.push([head, tail]),
  })
  let start = 0
  for (let i = 0; start < bytes.length; i++) {
    const end = start + (sizes[i % sizes.length] ?? 1)
    splitter.push(bytes.subarray(start, end))
    start = end
  }
  splitter.end()
  return { lines, dropped }
}

const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 })

it('finds the same lines however the bytes are cut', () => {
  const line = fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n]/.test(text))
  fc.assert(
    fc.property(fc.array(line), sizes, fc.constantFrom('\n', '\r\n'), (lines, chunks, end) => {
      expect(split(Buffer.from(lines.map((text) => text + end).join('')), chunks, 1_000_000).lines).toEqual(lines)
    }),
  )
})

it('gives a last line without an end', () => {
  expect(split(Buffer.from('a\nb'), [1], 10).lines).toEqual(['a', 'b'])
})

it('drops lines over the limit, keeps their ends, and goes on', () => {
  fc.assert(
    fc.property(sizes, fc.integer({ min: 2000, max: 5000 }), (chunks, length) => {
      const long = `HEAD${'x'.repeat(length)}TAIL`
      const { lines, dropped } = split(Buffer.from(`a\n${long}\nb\n${long}`), chunks, 1000)
      expect(lines).toEqual(['a', 'b'])
      expect(dropped).toHaveLength(2)
      for (const [head, tail] of dropped) {
        expect(head).toMatch(/^HEADx{508}$/)
        expect(tail).toMatch(/^x{508}TAIL$/)
      }
    }),
  )
})

it('hands on large lines in parts that are few, none empty, with enough in the first', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 3 * LARGE_BYTES }), { minLength: 1 })
  const lengths = fc.array(fc.integer({ min: 0, max: 20 * LARGE_BYTES }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(lengths, cuts, (sizes, chunks) => {
      const texts = sizes.map((size, at) => String(at).repeat(size))
      const seen: string[] = []
      const large: LargeLine[] = []
      const splitter = new LineSplitter({
        maxBytes: 1_000_000,
        onLine: (line) => seen.push(line),
        onLarge: (line) => {
          large.push(line)
          return seen.push(line.join('')) > 0
        },
        onOversize: () => seen.push('too large'),
      })
      const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''))
      for (let start = 0, at = 0; start < bytes.length; at++) {
        const size = chunks[at % chunks.length] ?? 1
        splitter.push(bytes.subarray(start, start + size))
        start += size
      }
      expect(seen).toEqual(texts)
      expect(large).toHaveLength(texts.filter(({ length }) => length >= LARGE_BYTES).length)
      for (const line of large) {
        expect(line[0].length).toBeGreaterThanOrEqual(HEAD_BYTES)
        expect(line.every(({ length }) => length > 0)).toBe(true)
        expect(line.length).toBeLessThanOrEqual(Buffer.concat(line).length / LARGE_BYTES)
      }
    }),
  )
})

it('reads a large line that was not taken, however it was cut', () => {
  const lines: string[] = []
  const onLarge = () => false
  const splitter = new LineSplitter({
    maxBytes: 1_000_000,
    onLine: (line) => lines.push(line),
    onLarge,
    onOversize: () => {},
  })
  const text = 'é'.repeat(LARGE_BYTES)
  const bytes = Buffer.from(`${text}\r\n`)
  splitter.push(bytes.subarray(0, LARGE_BYTES + 1))
  splitter.push(bytes.subarray(LARGE_BYTES + 1))
  expect(lines).toEqual([text])
})
