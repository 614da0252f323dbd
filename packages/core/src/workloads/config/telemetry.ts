import type { RunConfig } from '@toolhaven/contract/run-config'
import { isHeaderValue } from '@toolhaven/contract/text'
import { invalid } from '../../errors.ts'
import type { TelemetrySpec } from '../../ports/gateway.ts'

type TelemetryConfig = NonNullable<RunConfig['telemetry_config']>

/** Defaults for workloads without their own settings. */
export interface TelemetryDefaults {
  endpoint?: string
  samplingRate?: number
  envVars?: readonly string[]
  /** The daemon's own environment. */
  variable: (name: string) => string | undefined
}

const DEFAULT_SAMPLING_RATE = 0.1

/** Our own variables, and those in which people keep secrets. */
const TELLING_NAME = /^THV_|TOKEN|SECRET|PASSW|CREDENTIAL|PRIVATE|(^|_)(API_?)?KEY(_|$)/i

export function checkTelemetry(config: TelemetryConfig): void {
  const { endpoint, headers = {}, environmentVariables = [] } = config
  if (endpoint !== undefined && endpoint !== '') checkEndpoint(endpoint)
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(name) || !isHeaderValue(value))
      throw invalid('telemetry_config: headers has an invalid name or value')
  }
  const wrong = environmentVariables.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
  if (wrong !== undefined) throw invalid('telemetry_config: environmentVariables must hold names of variables')
  const telling = environmentVariables.find((name) => TELLING_NAME.test(name))
  if (telling !== undefined)
    throw invalid(`telemetry_config: ${telling} looks like a secret, which would be sent to the collector; remove it`)
}

function checkEndpoint(endpoint: string): void {
  if (endpoint.includes('://'))
    throw invalid('telemetry_config: endpoint takes host:port, without a scheme; "insecure": true means plain HTTP')
  if (!isCollector(endpoint))
    throw invalid(
      'telemetry_config: endpoint must be host:port of a collector, with an optional path, such as localhost:4318',
    )
}

/** Whether this can be host:port of a collector, with an optional path. */
export function isCollector(endpoint: string): boolean {
  const url = endpoint === '' ? null : URL.parse(`http://${endpoint}`)
  // The URL parser would take such text for a host. It is a mistyped scheme: ht!tp://collector.
  if (url === null || !/^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(url.hostname) || endpoint.includes('://')) return false
  return url.username === '' && url.password === '' && url.search === '' && url.hash === ''
}

/** For the gateway. Undefined if there is nothing to send or serve. */
export function telemetrySpec(config: RunConfig, defaults: TelemetryDefaults): TelemetrySpec | undefined {
  const own = config.telemetry_config ?? {}
  const endpoint = own.endpoint || defaults.endpoint
  const hasMetricsPath = own.enablePrometheusMetricsPath === true
  if (endpoint === undefined && !hasMetricsPath) return undefined
  return {
    ...(endpoint !== undefined && { endpoint: addressOf(endpoint, own.insecure) }),
    ...(own.headers && { headers: own.headers }),
    serviceName: own.serviceName || config.name,
    ...(own.serviceVersion && { serviceVersion: own.serviceVersion }),
    samplingRate: own.samplingRate ?? defaults.samplingRate ?? DEFAULT_SAMPLING_RATE,
    attributes: variablesOf(config, own.environmentVariables ?? defaults.envVars ?? [], defaults),
    hasMetricsPath,
  }
}

/** On this machine nobody can listen in, and collectors accept plain HTTP there. */
function addressOf(endpoint: string, insecure: boolean | undefined): string {
  const url = URL.parse(`http://${endpoint}`)
  // Someone may have edited the daemon's setting in its file by hand.
  if (!url) throw invalid('the telemetry endpoint is not host:port; set it with "thv config otel set-endpoint"')
  const { host, hostname, pathname } = url
  const isHere = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
  return `${(insecure ?? isHere) ? 'http' : 'https'}://${host}${pathname.replace(/\/+$/, '')}`
}

/** The workload's own value takes precedence. Its variables do not include secrets. */
function variablesOf(
  { env_vars: own = {} }: RunConfig,
  names: readonly string[],
  { variable }: TelemetryDefaults,
): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of names) {
    if (TELLING_NAME.test(name)) continue
    const value = Object.hasOwn(own, name) ? own[name] : variable(name)
    if (value !== undefined) found[`environment.${name}`] = value
  }
  return found
}
