import { expect, test } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { createDemultiplexer } from './demultiplex.ts'

function frame(stream: 1 | 2, payload: Buffer): Buffer {
  const header = Buffer.alloc(8)
  header[0] = stream
  header.writeUInt32BE(payload.length, 4)
  return Buffer.concat([header, payload])
}

function collector() {
  const out: Buffer[] = []
  const err: Buffer[] = []
  const push = createDemultiplexer({
    onStdout: (chunk) => out.push(Buffer.from(chunk)),
    onStderr: (chunk) => err.push(Buffer.from(chunk)),
  })
  return { push, stdout: () => Buffer.concat(out), stderr: () => Buffer.concat(err) }
}

test('frames of both streams come out whole however the bytes are cut', () => {
  const frames = fc.array(fc.tuple(fc.constantFrom<1 | 2>(1, 2), fc.uint8Array({ maxLength: 40 })), { maxLength: 12 })
  fc.assert(
    fc.property(frames, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (list, cuts) => {
      const wire = Buffer.concat(list.map(([stream, payload]) => frame(stream, Buffer.from(payload))))
      const seen = collector()
      for (let at = 0, i = 0; at < wire.length; i += 1) {
        const step = cuts[i % cuts.length] ?? 1
        seen.push(wire.subarray(at, at + step))
        at += step
      }
      const expected = (wanted: 1 | 2) =>
        Buffer.concat(list.filter(([stream]) => stream === wanted).map(([, payload]) => Buffer.from(payload)))
      expect(seen.stdout()).toEqual(expected(1))
      expect(seen.stderr()).toEqual(expected(2))
    }),
  )
})

test('a payload larger than any chunk is handed on piece by piece', () => {
  const seen = collector()
  const payload = Buffer.alloc(300_000, 'x')
  const wire = frame(1, payload)
  seen.push(wire.subarray(0, 100_000))
  expect(seen.stdout().length).toBe(100_000 - 8)
  seen.push(wire.subarray(100_000))
  expect(seen.stdout().equals(payload)).toBe(true)
})
