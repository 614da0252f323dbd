import type { DaemonSettings } from '@toolhaven/contract/system'

/** A setting as a text that a person types; empty: it is not set. */
export interface SettingField {
  label: string
  help: string
  /** Of the command, after `set-` and `unset-`. */
  command: string
  read: (settings: DaemonSettings) => string
  /** What changes it to this text. */
  change: (text: string) => DaemonSettings
}

const orNull = (text: string) => (text === '' ? null : text)

export const CERTIFICATE: readonly SettingField[] = [
  {
    label: 'Certificate file',
    help: 'Path of a PEM file on the machine of the daemon',
    command: 'thv config set-ca-cert',
    read: (settings) => settings.ca_certificate_path ?? '',
    change: (text) => ({ ca_certificate_path: orNull(text) }),
  },
]

export const TELEMETRY: readonly SettingField[] = [
  {
    label: 'Endpoint',
    help: 'host:port of an OTLP collector, without a scheme',
    command: 'thv config otel set-endpoint',
    read: ({ otel }) => otel?.endpoint ?? '',
    change: (text) => ({ otel: { endpoint: orNull(text) } }),
  },
  {
    label: 'Share of calls that are traced',
    help: 'From 0 (none) to 1 (all)',
    command: 'thv config otel set-sampling-rate',
    read: ({ otel }) => otel?.['sampling-rate']?.toString() ?? '',
    change: (text) => ({ otel: { 'sampling-rate': text === '' ? null : Number(text) } }),
  },
  {
    label: 'Variables to add',
    help: 'Names of environment variables, with commas between them. Their values are sent: name none that holds a secret',
    command: 'thv config otel set-env-vars',
    read: ({ otel }) => otel?.['env-vars']?.join(', ') ?? '',
    change: (text) => ({ otel: { 'env-vars': text === '' ? null : text.split(/[\s,]+/).filter(Boolean) } }),
  },
]

export interface SettingChange {
  field: SettingField
  text: string
}

/** The fields whose text differs from what is set. */
export function changesOf(
  fields: readonly SettingField[],
  settings: DaemonSettings,
  typed: ReadonlyMap<string, string>,
): SettingChange[] {
  return fields.flatMap((field) => {
    const text = typed.get(field.label)?.trim()
    return text === undefined || text === field.read(settings) ? [] : [{ field, text }]
  })
}

/** One request for all of them: either every change is made, or none. */
export function settingsChange(changes: readonly SettingChange[]): DaemonSettings {
  const otel: DaemonSettings['otel'] = {}
  const all: DaemonSettings = {}
  for (const { field, text } of changes) {
    const { otel: part, ...rest } = field.change(text)
    Object.assign(all, rest)
    Object.assign(otel, part)
  }
  return { ...all, ...(Object.keys(otel).length > 0 && { otel }) }
}

export function settingCommand({ field, text }: SettingChange): string {
  if (text === '') return field.command.replace('set-', 'unset-')
  return `${field.command} ${/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`}`
}
