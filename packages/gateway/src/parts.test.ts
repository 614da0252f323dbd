import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addPart, joined } from './parts.ts'

test('parts are what was added, and few, however small it came', () => {
  const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 9000 })), {
    maxLength: 300,
  })
  fc.assert(
    fc.property(sizes, (all) => {
      const whole = Buffer.from(
        Uint8Array.from({ length: all.reduce((sum, size) => sum + size, 0) }, (_, at) => at % 251),
      )
      const parts: Buffer[] = []
      let at = 0
      for (const size of all) addPart(parts, whole.subarray(at, (at += size)))
      expect(joined(parts).equals(whole)).toBe(true)
      // At worst each block is half full, and between two large parts is a small one.
      expect(parts.length).toBeLessThanOrEqual(8 + (2 * whole.length) / 2048)
    }),
  )
})

test('a body of single bytes takes no more memory than a few times its size', () => {
  const parts: Buffer[] = []
  for (let at = 0; at < 1_000_000; at++) addPart(parts, Buffer.from([at % 251]))
  const kept = new Set(parts.map(({ buffer }) => buffer))
  expect([...kept].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(1_100_000)
  expect(parts.length).toBeLessThan(300)
})
