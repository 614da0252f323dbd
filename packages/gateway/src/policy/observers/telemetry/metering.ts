import type { Attributes } from '@opentelemetry/api'
import { AggregationTemporalityPreference, OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import type { Resource } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import type { ExportHealth } from './export-health.ts'
import { SCOPE, type Collector, type TelemetryTimes } from './collector.ts'

export interface Metering {
  called(seconds: number, labels: Attributes): void
  sessionEnded(seconds: number): void
  /** The text that Prometheus reads. Undefined where the configuration does not ask for it. */
  page: (() => Promise<string>) | undefined
  close(): Promise<void>
}

export interface MeteringOptions {
  /** Without it, nothing is sent, only shown. */
  collector: Collector | undefined
  health: ExportHealth
  resource: Resource
  hasPage: boolean
  sessions: () => number
  callsInFlight: () => number
  times: TelemetryTimes
}

/** In seconds, as the conventions require for both histograms. */
const BOUNDARIES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

export function createMetering(options: MeteringOptions): Metering {
  // One reader for both: each reader counts every call once more.
  const reader = periodicReader(options) ?? new PrometheusExporter({ preventServerStart: true })
  const provider = new MeterProvider({ resource: options.resource, readers: [reader] })
  const meter = provider.getMeter(SCOPE)
  const histogram = { unit: 's', advice: { explicitBucketBoundaries: BOUNDARIES } }
  const calls = meter.createHistogram('mcp.server.operation.duration', {
    ...histogram,
    description: 'Time from the arrival of a request to its answer',
  })
  const sessions = meter.createHistogram('mcp.server.session.duration', {
    ...histogram,
    description: 'Time from the first request of a session to its end',
  })
  meter
    .createObservableGauge('toolhaven.sessions.active', { description: 'Sessions of clients that are open' })
    .addCallback((seen) => seen.observe(options.sessions()))
  meter
    .createObservableGauge('toolhaven.calls.active', { description: 'Requests that are not answered yet' })
    .addCallback((seen) => seen.observe(options.callsInFlight()))
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true)
  return {
    called: (seconds, labels) => calls.record(seconds, labels),
    sessionEnded: (seconds) => sessions.record(seconds),
    page: options.hasPage ? async () => serializer.serialize((await reader.collect()).resourceMetrics) : undefined,
    close: () => provider.shutdown(),
  }
}

function periodicReader({ collector, health, times }: MeteringOptions): PeriodicExportingMetricReader | undefined {
  if (collector === undefined) return undefined
  const exporter = new OTLPMetricExporter({
    url: `${collector.url}/v1/metrics`,
    headers: { ...collector.headers },
    timeoutMillis: times.exportTimeoutMs,
    // Prometheus reads the same counters, and expects counters that never start again.
    temporalityPreference: AggregationTemporalityPreference.CUMULATIVE,
  })
  health.watch('metrics', exporter)
  return new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: times.metricsEveryMs,
    exportTimeoutMillis: Math.min(times.exportTimeoutMs, times.metricsEveryMs),
  })
}
