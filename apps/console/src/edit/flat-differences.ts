import type { Difference } from '@toolhaven/contract/plans'

export interface Change {
  label: string
  /** Lines that go and lines that come. */
  before: string[]
  after: string[]
}

/** What a field of the configuration is called where people meet it. The rest keep the name of the configuration. */
const LABELS: Readonly<Record<string, string>> = {
  ...{ name: 'Name', host: 'Listens on', port: 'Port', container_name: 'Container' },
  ...{ image: 'Package or image', remote_url: 'Address', group: 'Group', cmd_args: 'Arguments', secrets: 'Secrets' },
  ...{ volumes: 'Folders', tools_filter: 'Tools', base_name: 'Registry entry', transport: 'Transport' },
  ...{ 'resources.memory_mb': 'Memory in MB', 'resources.cpus': 'CPU cores', 'resources.pids': 'Processes' },
  ...{ 'limits.requests_per_minute': 'Requests per minute', proxy_mode: 'Transport for clients' },
  ...{ 'limits.client_requests_per_minute': 'Requests per minute of each client' },
  ...{ network_mode: 'Network mode', network_isolation_mode: 'Observation', isolate_network: 'Network isolation' },
  ...{ 'permission_profile.network.outbound.allow_host': 'Hosts' },
  ...{ 'permission_profile.network.outbound.allow_port': 'Ports' },
  ...{ 'permission_profile.network.outbound.insecure_allow_all': 'Every public host' },
  ...{ 'permission_profile.name': 'Permission profile' },
  ...{ 'permission_profile.read': 'Folders to read', 'permission_profile.write': 'Folders to change' },
}

const PREFIXES: readonly (readonly [string, string])[] = [
  ['env_vars.', 'Variable '],
  ['remote_auth_config.headers.', 'Header '],
  ['remote_auth_config.headers_from_secrets.', 'Secret of the header '],
]

/** The differences down to single settings, as a reader compares them. */
export function flatDifferences(differences: readonly Difference[]): Change[] {
  return differences.flatMap(({ field, before, after }) => changesIn(field, before, after))
}

function changesIn(field: string, before: unknown, after: unknown): Change[] {
  if (isRecord(before) || isRecord(after)) {
    const [old, now] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}]
    const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])]
    return keys.flatMap((key) => changesIn(`${field}.${key}`, old[key], now[key]))
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  const [old, now] = [linesOf(before), linesOf(after)]
  const isList = Array.isArray(before) && Array.isArray(after)
  const [gone, come] = [old.filter((each) => !now.includes(each)), now.filter((each) => !old.includes(each))]
  // The same entries in another order, or one of them twice, are shown whole.
  const isPart = isList && gone.length + come.length > 0
  return [{ label: labelOf(field), before: isPart ? gone : old, after: isPart ? come : now }]
}

function labelOf(field: string): string {
  const [prefix, words] = PREFIXES.find(([start]) => field.startsWith(start)) ?? []
  return prefix === undefined ? (LABELS[field] ?? field) : `${words}${field.slice(prefix.length)}`
}

function linesOf(value: unknown): string[] {
  if (value === undefined) return []
  if (Array.isArray(value)) return value.map(textOf)
  return [textOf(value)]
}

function textOf(value: unknown): string {
  if (value === '') return '(empty)'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
