import { FLAG_OF_FIELD } from '../output/in-flags.ts'
import { spelledFlag } from '../spelled-flag.ts'

export interface EditOption {
  /** Path of the field in a request. */
  field: string
  /** The option, as the user types it. */
  option: string
  /** Its name for --unset. Undefined if it cannot be removed. */
  unset?: string
}

const BESIDE_FLAGS: readonly EditOption[] = [
  { field: 'image', option: '--server' },
  { field: 'url', option: '--server' },
  { field: 'cmd_arguments', option: '-- arguments', unset: 'args' },
  { field: 'folder.path', option: '--folder' },
  { field: 'folder.command', option: '-- command', unset: 'command' },
  ...(
    [
      ['folder.write', 'write'],
      ['folder.watch', 'watch'],
      ['ignore_config.loadGlobal', 'ignoreGlobally'],
      ['ignore_config.printOverlays', 'printOverlays'],
      ['telemetry_config.serviceName', 'otelServiceName'],
      ['telemetry_config.samplingRate', 'otelSamplingRate'],
      ['telemetry_config.enablePrometheusMetricsPath', 'otelEnablePrometheusMetricsPath'],
      ['accept_network', 'acceptNetwork'],
      ['accept_mounts', 'acceptMounts'],
    ] as const
  ).map(([field, flag]) => ofFlag(field, flag)),
]

/** The options that `thv edit` changes, shows and removes. `resources` covers its parts. */
export const EDIT_OPTIONS: readonly EditOption[] = [
  ...BESIDE_FLAGS,
  ...FLAG_OF_FIELD.filter(([field]) => !field.includes(' ') && field !== 'resources' && field !== 'name').map(
    ([field, flag]) => ofFlag(field, flag),
  ),
]

/** Two options that set one field. */
const ALSO_UNSET = [['enable-audit', 'audit_config']] as const

/** The field of each option that can be removed. */
export const FIELD_OF_UNSET: ReadonlyMap<string, string> = new Map([
  ...EDIT_OPTIONS.flatMap(({ field, unset }) => (unset === undefined ? [] : [[unset, field] as const])),
  ...ALSO_UNSET,
])

function ofFlag(field: string, flag: string): EditOption {
  const option = spelledFlag(flag)
  return { field, option, unset: option.slice(2) }
}
