import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LineSplitter } from './line-splitter.ts'

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
