import type { FlagValues } from '../command.ts'
import type { OTEL_FLAGS } from './otel-flags.ts'
import { pairsOf } from './pairs.ts'

/** Undefined for a flag that was not given. */
export function telemetryOf(flags: FlagValues<typeof OTEL_FLAGS>): Record<string, unknown> {
  const names = flags.otelEnvVars.flatMap((list) => list.split(',')).map((name) => name.trim())
  return {
    endpoint: flags.otelEndpoint,
    insecure: flags.otelInsecure || undefined,
    headers: pairsOf('--otel-headers', flags.otelHeaders),
    serviceName: flags.otelServiceName,
    samplingRate: flags.otelSamplingRate,
    environmentVariables: names,
    enablePrometheusMetricsPath: flags.otelEnablePrometheusMetricsPath || undefined,
  }
}
