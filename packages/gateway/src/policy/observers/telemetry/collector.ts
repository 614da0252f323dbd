export const SCOPE = 'toolhaven.gateway'

/** Where OTLP goes, over HTTP. */
export interface Collector {
  /** Without the path of a signal. */
  url: string
  headers: Readonly<Record<string, string>>
}

export interface TelemetryTimes {
  /** Time between two reports of metrics. */
  metricsEveryMs: number
  /** How long a span may wait to be sent together with others. */
  spanDelayMs: number
  /** For one delivery, including all attempts. */
  exportTimeoutMs: number
  /** For the last delivery, when the endpoint closes. */
  closeMs: number
}

export const DEFAULT_TIMES: TelemetryTimes = {
  metricsEveryMs: 60_000,
  spanDelayMs: 5_000,
  exportTimeoutMs: 10_000,
  closeMs: 2_000,
}
