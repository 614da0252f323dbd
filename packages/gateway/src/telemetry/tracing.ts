import { SpanKind, type Span } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import type { Resource } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { ExportHealth } from './export-health.ts'
import { SCOPE, type Collector, type TelemetryTimes } from './collector.ts'
import type { TraceOrigin } from './trace-context.ts'

export interface Tracing {
  start(name: string, origin: TraceOrigin): Span
  close(): Promise<void>
}

export interface TracingOptions {
  collector: Collector
  health: ExportHealth
  resource: Resource
  samplingRate: number
  times: TelemetryTimes
}

/** Spans wait in a bounded queue and are sent apart from the calls they tell of; what does not fit is dropped. */
export function createTracing({ collector, health, resource, samplingRate, times }: TracingOptions): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${collector.url}/v1/traces`,
    headers: { ...collector.headers },
    timeoutMillis: times.exportTimeoutMs,
  })
  health.watch('traces', exporter)
  const provider = new TracerProvider({
    resource,
    // A trace that began elsewhere is kept or left whole.
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplingRate) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: times.spanDelayMs,
        exportTimeoutMillis: times.exportTimeoutMs,
      }),
    ],
  })
  const tracer = provider.getTracer(SCOPE)
  return {
    start: (name, { parent, links }) => tracer.startSpan(name, { kind: SpanKind.SERVER, links }, parent),
    close: () => provider.shutdown(),
  }
}
