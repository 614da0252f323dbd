import { expect, test } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { LARGE_BYTES } from './json-rpc.ts'
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
      // After the first eight, any two neighbours together hold more than a block. One may be left over.
      expect(parts.length).toBeLessThanOrEqual(9 + (2 * whole.length) / LARGE_BYTES)
    }),
    {
      examples: [
        [Array.from({ length: 9 }, () => 1)],
        [Array.from({ length: 300 }, (_, at) => (at % 2) * LARGE_BYTES + 1)],
      ],
    },
  )
})

test('a body of single bytes takes no more memory than a few times its size', () => {
  const parts: Buffer[] = []
  for (let at = 0; at < 1_000_000; at++) addPart(parts, Buffer.from([at % 251]))
  const kept = new Set(parts.map(({ buffer }) => buffer))
  expect([...kept].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(1_100_000)
  expect(parts.length).toBeLessThan(300)
})
