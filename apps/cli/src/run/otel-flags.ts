import type { FlagDef } from '../command.ts'

/** What is told of a workload's calls, and to whom. */
export const OTEL_FLAGS = {
  otelEndpoint: { type: 'text', value: 'host:port', summary: 'collector that gets traces and metrics, over OTLP/HTTP' },
  otelInsecure: {
    type: 'boolean',
    summary: 'plain HTTP to the collector; one on this machine gets that anyway',
  },
  otelHeaders: { type: 'list', value: 'NAME=VALUE', summary: 'header for the collector; may be repeated' },
  otelServiceName: { type: 'text', value: 'name', summary: 'service name in traces; left out: the workload’s' },
  otelSamplingRate: {
    type: 'number',
    value: 'share',
    summary: 'share of calls that are traced, from 0 to 1; left out: 0.1',
    min: 0,
    max: 1,
  },
  otelEnvVars: {
    type: 'list',
    value: 'names',
    summary: 'variables told with it, with commas between; may be repeated',
  },
  otelEnablePrometheusMetricsPath: { type: 'boolean', summary: 'metrics at /metrics of the workload’s port' },
} as const satisfies Record<string, FlagDef>
