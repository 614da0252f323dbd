import { SpanKind, SpanStatusCode, TraceFlags, type HrTime, type Link, type SpanContext } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { SCOPE } from './collector.ts'

export interface CallSpanOptions {
  resource: Resource
  context: SpanContext
  /** The span it belongs to. Undefined: it starts a trace. */
  parent: SpanContext | undefined
  links: Link[]
}

const scope = { name: SCOPE }

/**
 * The span of one call, for the library's queue. The library's own span accepts anything at any time, and that was most
 * of what telemetry cost a call (decision 0069).
 */
export class CallSpan implements ReadableSpan {
  name = ''
  attributes: Record<string, string> = {}
  readonly kind = SpanKind.SERVER
  readonly parentSpanContext?: SpanContext
  readonly links: Link[]
  readonly resource: Resource
  readonly instrumentationScope = scope
  readonly #context: SpanContext
  readonly #began = performance.now()
  readonly #startMs = Date.now()
  #endMs: number | undefined
  #isFailed = false

  constructor({ resource, context, parent, links }: CallSpanOptions) {
    this.resource = resource
    this.#context = context
    if (parent !== undefined) this.parentSpanContext = parent
    this.links = links
  }

  readonly spanContext = (): SpanContext => this.#context

  /** If false, the span is only passed on to the server and never reported. */
  get isRecording(): boolean {
    return (this.#context.traceFlags & TraceFlags.SAMPLED) !== 0
  }

  fail(attributes: Readonly<Record<string, string>>): void {
    this.#isFailed = true
    Object.assign(this.attributes, attributes)
  }

  /** Two readings of a clock that somebody sets may be hours apart. */
  end(): void {
    this.#endMs = this.#startMs + performance.now() - this.#began
  }

  get startTime(): HrTime {
    return hrTimeOf(this.#startMs)
  }

  get endTime(): HrTime {
    return hrTimeOf(this.#endMs ?? this.#startMs)
  }

  get duration(): HrTime {
    return hrTimeOf((this.#endMs ?? this.#startMs) - this.#startMs)
  }

  get ended(): boolean {
    return this.#endMs !== undefined
  }

  get status() {
    return { code: this.#isFailed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET }
  }

  get events(): [] {
    return []
  }

  readonly droppedAttributesCount = 0
  readonly droppedEventsCount = 0
  readonly droppedLinksCount = 0
}

function hrTimeOf(ms: number): HrTime {
  const microseconds = Math.round(ms * 1000)
  const seconds = Math.floor(microseconds / 1e6)
  return [seconds, (microseconds - seconds * 1e6) * 1000]
}
