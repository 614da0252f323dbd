import { isSpanContextValid, SpanKind, trace, TraceFlags } from '@opentelemetry/api'
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base'
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http'
import { TraceExporterMetricsHelper } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import { CallSpan } from './call-span.ts'
import type { ExportHealth } from './export-health.ts'
import type { Collector, TelemetryTimes } from './collector.ts'
import { createSpanSerializer } from './span-text.ts'
import type { TraceOrigin } from './trace-context.ts'

export interface Tracing {
  start(origin: TraceOrigin): CallSpan
  end(span: CallSpan): void
  close(): Promise<void>
}

export interface TracingOptions {
  collector: Collector
  health: ExportHealth
  /** Attributes that all spans share. */
  about: Readonly<Record<string, string>>
  samplingRate: number
  times: TelemetryTimes
}

/** The name until it is known what the call is for. */
const NAME = 'call'

/** Spans wait in a bounded queue and are sent apart from the calls they describe. What does not fit is dropped. */
export function createTracing({ collector, health, about, samplingRate, times }: TracingOptions): Tracing {
  const exporter = createExporter(collector, about, times)
  health.watch('traces', exporter)
  // A trace that began elsewhere is recorded as a whole or not at all.
  const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplingRate) })
  const queue = new BatchSpanProcessor({
    exporter,
    scheduledDelayMillis: times.spanDelayMs,
    exportTimeoutMillis: times.exportTimeoutMs,
  })
  const ids = new RandomIdGenerator()
  const resource = resourceFromAttributes(about)
  return {
    start({ parent: origin, links }) {
      const said = trace.getSpanContext(origin)
      const parent = said !== undefined && isSpanContextValid(said) ? said : undefined
      const traceId = parent?.traceId ?? ids.generateTraceId()
      const sampled = sampler.shouldSample(origin, traceId, NAME, SpanKind.SERVER, {}, links)
      const { decision, traceState = parent?.traceState } = sampled
      const isSampled = decision === SamplingDecision.RECORD_AND_SAMPLED
      const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
      const context = { traceId, spanId: ids.generateSpanId(), traceFlags, ...(traceState && { traceState }) }
      return new CallSpan({ resource, context, parent, links })
    },
    end(span) {
      span.end()
      queue.onEnd(span)
    },
    close: () => queue.shutdown(),
  }
}

/** The library's exporter with its way of retrying, except that it writes spans as here. */
function createExporter({ url, headers }: Collector, about: TracingOptions['about'], times: TelemetryTimes) {
  const options = convertLegacyHttpOptions(
    { url: `${url}/v1/traces`, headers: { ...headers }, timeoutMillis: times.exportTimeoutMs },
    'TRACES',
    'v1/traces',
    { 'Content-Type': 'application/json' },
  )
  const serializer = createSpanSerializer(about)
  return new OTLPExporterBase(
    createOtlpHttpExportDelegate(options, serializer, 'otlp_http_span_exporter', TraceExporterMetricsHelper, undefined),
  )
}
