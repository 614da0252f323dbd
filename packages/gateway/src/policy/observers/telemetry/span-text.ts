import type { HrTime, Link, SpanContext } from '@opentelemetry/api'
import {
  JsonTraceSerializer,
  type IExportTraceServiceResponse,
  type ISerializer,
} from '@opentelemetry/otlp-transformer'
import type { CallSpan } from './call-span.ts'
import { SCOPE } from './collector.ts'

/**
 * Writes spans as OTLP JSON. The library's own serializer first makes an object of each attribute and each time of each
 * span, for the same result.
 */
export function createSpanSerializer(
  resource: Readonly<Record<string, string>>,
): ISerializer<CallSpan[], IExportTraceServiceResponse> {
  const about = `{"attributes":${attributesText(resource)},"droppedAttributesCount":0}`
  const start = `{"resourceSpans":[{"resource":${about},"scopeSpans":[{"scope":{"name":"${SCOPE}"},"spans":[`
  return {
    serializeRequest: (spans) => Buffer.from(`${start}${spans.map(spanText).join(',')}]}]}]}`),
    deserializeResponse: (bytes) => JsonTraceSerializer.deserializeResponse(bytes),
  }
}

function spanText(span: CallSpan): string {
  const context = span.spanContext()
  const parent = span.parentSpanContext
  const isPartOf = parent === undefined ? '' : `"parentSpanId":"${parent.spanId}",`
  return (
    `{${contextText(context)}${isPartOf}"name":${JSON.stringify(span.name)},"kind":${span.kind + 1},` +
    `"startTimeUnixNano":"${nanoText(span.startTime)}","endTimeUnixNano":"${nanoText(span.endTime)}",` +
    `"attributes":${attributesText(span.attributes)},"droppedAttributesCount":0,` +
    `"events":[],"droppedEventsCount":0,"status":{"code":${span.status.code}},` +
    `"links":[${span.links.map(linkText).join(',')}],"droppedLinksCount":0,"flags":${flagsOf(context, parent?.isRemote)}}`
  )
}

function linkText({ context }: Link): string {
  return `{"attributes":[],${contextText(context)}"droppedAttributesCount":0,"flags":${flagsOf(context, context.isRemote)}}`
}

function contextText({ traceId, spanId, traceState }: SpanContext): string {
  const state = traceState === undefined ? '' : `"traceState":${JSON.stringify(traceState.serialize())},`
  return `"traceId":"${traceId}","spanId":"${spanId}",${state}`
}

/** The second byte says whether the parent is known to belong to another process. */
function flagsOf({ traceFlags }: SpanContext, isRemote: boolean | undefined): number {
  return (traceFlags & 0xff) | 0x100 | (isRemote === true ? 0x200 : 0)
}

const nanoText = ([seconds, nanoseconds]: HrTime) => `${seconds}${String(nanoseconds).padStart(9, '0')}`

function attributesText(attributes: Readonly<Record<string, string>>): string {
  let text = ''
  for (const key of Object.keys(attributes))
    text += `${text === '' ? '' : ','}${beginningOf(key)}${JSON.stringify(attributes[key])}}}`
  return `[${text}]`
}

/** Our own keys, which are few. */
const beginnings = new Map<string, string>()

function beginningOf(key: string): string {
  const known = beginnings.get(key)
  if (known !== undefined) return known
  const made = `{"key":${JSON.stringify(key)},"value":{"stringValue":`
  beginnings.set(key, made)
  return made
}
