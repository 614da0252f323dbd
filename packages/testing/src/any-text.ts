import { fc } from './properties.ts'

/** Any sequence of UTF-16 code units: control characters and lone surrogates too, and ASCII often enough to matter. */
export function anyText(constraints: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  const unit = fc
    .oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0xffff }))
    .map((code) => String.fromCharCode(code))
  return fc.string({ ...constraints, unit })
}
