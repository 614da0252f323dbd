import type { Setting } from '../setting.ts'

const prefix = 'config otel '

export const ENDPOINT: Setting = {
  prefix,
  name: 'endpoint',
  noun: 'the telemetry endpoint',
  purpose: 'where workloads without their own endpoint send OpenTelemetry data',
  of: ({ otel }) => ({ otel: { endpoint: otel?.endpoint ?? null } }),
  show: ({ otel }) => otel?.endpoint ?? undefined,
  cleared: { otel: { endpoint: null } },
}

export const SAMPLING_RATE: Setting = {
  prefix,
  name: 'sampling-rate',
  noun: 'the sampling rate',
  purpose: 'the share of calls that are traced, from 0 (none) to 1 (all)',
  of: ({ otel }) => ({ otel: { 'sampling-rate': otel?.['sampling-rate'] ?? null } }),
  show: ({ otel }) => otel?.['sampling-rate']?.toString(),
  cleared: { otel: { 'sampling-rate': null } },
}

export const ENV_VARS: Setting = {
  prefix,
  name: 'env-vars',
  noun: 'the list of traced variables',
  purpose: 'names of environment variables whose values are added to each trace; never name one that holds a secret',
  of: ({ otel }) => ({ otel: { 'env-vars': otel?.['env-vars'] ?? null } }),
  show: ({ otel }) => otel?.['env-vars']?.join(',') || undefined,
  cleared: { otel: { 'env-vars': null } },
}
