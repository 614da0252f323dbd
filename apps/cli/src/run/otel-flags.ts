import type { FlagDef } from '../command.ts'

/** Traces and metrics of a workload's calls, and the collector that gets them. */
export const OTEL_FLAGS = {
  otelEndpoint: { type: 'text', value: 'host:port', summary: 'collector that gets traces and metrics, over OTLP/HTTP' },
  otelInsecure: {
    type: 'boolean',
    summary: 'use plain HTTP; a collector on this machine gets plain HTTP anyway',
  },
  otelHeaders: { type: 'list', value: 'NAME=VALUE', summary: 'header for the collector; may be repeated' },
  otelServiceName: { type: 'text', value: 'name', summary: 'service name in traces (default: name of the workload)' },
  otelSamplingRate: {
    type: 'number',
    value: 'share',
    summary: 'share of calls to trace, from 0 to 1 (default: 0.1)',
    min: 0,
    max: 1,
  },
  otelEnvVars: {
    type: 'list',
    value: 'names',
    summary: 'variables to add to the data, separated by commas; may be repeated',
  },
  otelEnablePrometheusMetricsPath: {
    type: 'boolean',
    summary: 'serve metrics at /metrics on the port of the workload',
  },
} as const satisfies Record<string, FlagDef>
