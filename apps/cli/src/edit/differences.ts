import type { CreateRequest, UpdateRequest } from '@toolhaven/contract/workload-request'
import { FLAG_OF_FIELD } from '../output/in-flags.ts'
import { spelledFlag } from '../spelled-flag.ts'

export interface Difference {
  /** As it is typed. */
  option: string
  /** Both are left out where values may be keys. */
  from?: unknown
  to?: unknown
  hidden?: true
}

/** Their values may be keys: only their names are shown. */
const MAY_HOLD_KEYS = new Set(['env_vars', 'headers', 'telemetry_config.headers'])

const OPTIONS: readonly (readonly [string, string])[] = [
  ['image', '--server'],
  ['url', '--server'],
  ['cmd_arguments', '-- arguments'],
  ['ignore_config.loadGlobal', '--ignore-globally'],
  ['ignore_config.printOverlays', '--print-overlays'],
  ['telemetry_config.serviceName', '--otel-service-name'],
  ['telemetry_config.samplingRate', '--otel-sampling-rate'],
  ['telemetry_config.enablePrometheusMetricsPath', '--otel-enable-prometheus-metrics-path'],
  ['accept_network', '--accept-network'],
  ['accept_mounts', '--accept-mounts'],
  // `resources` stands for its parts.
  ...FLAG_OF_FIELD.filter(([field]) => !field.includes(' ') && field !== 'resources').map(
    ([field, flag]) => [field, spelledFlag(flag)] as const,
  ),
]

/** What the edit changes, option by option. */
export function differencesOf(asked: CreateRequest, update: UpdateRequest): Difference[] {
  const after = { ...asked, ...update }
  return OPTIONS.flatMap(([field, option]): Difference[] => {
    const [from, to] = [at(asked, field), at(after, field)]
    if (JSON.stringify(from) === JSON.stringify(to)) return []
    if (MAY_HOLD_KEYS.has(field))
      return changedKeys(from, to).map((key) => ({ option: `${option} ${key}`, hidden: true }))
    return [{ option, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }]
  })
}

/** The value at a path; what is empty counts as not there. */
function at(fields: object, path: string): unknown {
  let value: unknown = fields
  for (const name of path.split('.')) value = Object(value)[name]
  const isEmpty =
    value === null || value === '' || (typeof value === 'object' && Object.keys(Object(value)).length === 0)
  return isEmpty ? undefined : value
}

function changedKeys(from: unknown, to: unknown): string[] {
  const [before, after]: Record<string, unknown>[] = [Object(from), Object(to)]
  const keys = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  return [...keys].filter((key) => before?.[key] !== after?.[key]).toSorted()
}
