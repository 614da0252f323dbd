import { TraceFlags, type SpanContext } from '@opentelemetry/api'
import { TraceState } from '@opentelemetry/core'
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { expect, test } from 'vitest'
import { anyText } from '@toolhaven/testing/any-text'
import { fc } from '@toolhaven/testing/properties'
import { CallSpan } from './call-span.ts'
import { createSpanSerializer } from './span-text.ts'

const read = (bytes: Uint8Array | undefined): unknown => JSON.parse(Buffer.from(bytes ?? []).toString())

const digits = '0123456789abcdef'
const hex = (length: number) => fc.string({ unit: fc.constantFrom(...digits), minLength: length, maxLength: length })
const context: fc.Arbitrary<SpanContext> = fc.record(
  {
    traceId: hex(32),
    spanId: hex(16),
    traceFlags: fc.constantFrom(TraceFlags.SAMPLED, TraceFlags.NONE),
    isRemote: fc.boolean(),
    traceState: fc.constantFrom('', 'a=1', 'vendor=x,other=y').map((text) => new TraceState(text)),
  },
  { requiredKeys: ['traceId', 'spanId', 'traceFlags'] },
)
const attributes = fc.dictionary(anyText({ minLength: 1 }), anyText())
const planned = fc.record({
  context,
  parent: fc.option(context, { nil: undefined }),
  links: fc.array(context.map((linked) => ({ context: linked }))),
  name: anyText(),
  attributes,
  failure: fc.option(attributes, { nil: undefined }),
})

test('spans are written as the library writes them', () => {
  fc.assert(
    fc.property(attributes, fc.array(planned, { minLength: 1, maxLength: 4 }), (about, plans) => {
      const resource = resourceFromAttributes(about)
      const spans = plans.map(({ name, failure, attributes: said, ...options }) => {
        const span = new CallSpan({ ...options, resource })
        span.name = name
        span.attributes = { ...said }
        if (failure !== undefined) span.fail(failure)
        span.end()
        return span
      })
      const ours = read(createSpanSerializer(about).serializeRequest(spans))
      expect(ours).toEqual(read(JsonTraceSerializer.serializeRequest(spans)))
    }),
  )
})

test('a span lasts as long as it took, and says when in nanoseconds', () => {
  const before = Date.now()
  const span = new CallSpan({
    resource: resourceFromAttributes({}),
    context: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: TraceFlags.SAMPLED },
    parent: undefined,
    links: [],
  })
  expect(span.ended).toBe(false)
  const since = performance.now()
  while (performance.now() - since < 3);
  span.end()
  expect(span.ended).toBe(true)
  const ms = ([seconds, nanoseconds]: readonly [number, number]) => seconds * 1000 + nanoseconds / 1e6
  expect(ms(span.startTime)).toBeGreaterThanOrEqual(before)
  expect(ms(span.startTime)).toBeLessThanOrEqual(Date.now())
  expect(ms(span.duration)).toBeGreaterThanOrEqual(3)
  expect(ms(span.endTime) - ms(span.startTime)).toBeCloseTo(ms(span.duration), 2)
})
