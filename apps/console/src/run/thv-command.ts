import { outboundPolicy } from '@toolhaven/contract/permission-profile'
import type { CreateRequest, UpdateRequest } from '@toolhaven/contract/workload-request'
import { quoted } from '../parts/quoted.ts'

/** The command that does the same as the form; undefined where flags cannot say it. */
export function thvCommand(request: CreateRequest): string | undefined {
  const { group, name, image, url, cmd_arguments: args = [], ...rest } = request
  const flags = flagsOf({ ...rest, ...(group !== 'default' && group !== undefined && { group }) })
  if (flags === undefined) return undefined
  const named = name === undefined ? [] : ['--name', name]
  return line(['thv', 'run', ...named, ...flags, image ?? url ?? '', ...afterDashes(args)])
}

/** The command that makes the same edit. */
export function editCommand(name: string, before: CreateRequest, update: UpdateRequest): string | undefined {
  const { image, url, cmd_arguments: args, permission_profile, group, tools, network_mode, accept_mounts } = update
  const maps = MAPS.map(({ unset, of }) => ({ unset, ...changesOf(of(before), of({ ...before, ...update })) }))
  const replaced = {
    ...(permission_profile && { permission_profile }),
    ...(group && { group }),
    ...(tools && { tools }),
    ...(network_mode && { network_mode }),
    ...(accept_mounts && { accept_mounts }),
  }
  const flags = flagsOf(replaced)
  if (flags === undefined) return undefined
  // After the dashes, the command would take the place of the one that starts the server in its folder.
  if (args && before.folder?.command) return undefined
  const isCleared = (field: keyof typeof WHOLE) => update[field] === null && before[field] !== undefined
  const server = image ?? url
  return line([
    ...['thv', 'edit', name],
    ...(server ? ['--server', server] : []),
    ...maps.flatMap(({ set }) => set.flat()),
    ...flags,
    ...maps.flatMap(({ unset, gone }) => gone.flatMap((key) => ['--unset', unset === '' ? key : `${unset}=${key}`])),
    ...FIELDS_REPLACED.filter(isCleared).flatMap((field) => ['--unset', WHOLE[field]]),
    ...(args ? afterDashes(args) : []),
  ])
}

/** What `--unset` calls the fields that are replaced as a whole. */
const WHOLE = {
  ...{ cmd_arguments: 'args', permission_profile: 'permission-profile', group: 'group', tools: 'tools' },
  ...{ network_mode: 'network', accept_mounts: 'accept-mounts' },
} as const
const FIELDS_REPLACED = [
  'cmd_arguments',
  'permission_profile',
  'group',
  'tools',
  'network_mode',
  'accept_mounts',
] as const

type Fields = CreateRequest | UpdateRequest

interface FlagMap {
  /** What `--unset` calls one of its entries; empty: each has a name of its own. */
  unset: string
  /** By what an edit knows an entry by: the words that set it. */
  of: (fields: Fields) => Record<string, string[]>
}

/** The flags of which there can be several. */
const MAPS: readonly FlagMap[] = [
  { unset: 'env', of: ({ env_vars }) => pairs(env_vars, (key, value) => ['-e', `${key}=${value}`]) },
  {
    unset: 'secret',
    of: ({ secrets }) =>
      Object.fromEntries((secrets ?? []).map(({ name, target }) => [target, ['--secret', `${name},target=${target}`]])),
  },
  { unset: 'header', of: headerFlags },
  {
    unset: 'volume',
    of: ({ volumes }) => Object.fromEntries((volumes ?? []).map((each) => [placeInside(each), ['--volume', each]])),
  },
  {
    unset: 'allow-host',
    of: ({ allow_hosts }) => Object.fromEntries((allow_hosts ?? []).map((host) => [host, ['--allow-host', host]])),
  },
  { unset: '', of: ({ resources }) => sizes(resources, { memory_mb: 'memory', cpus: 'cpus', pids: 'pids' }) },
  {
    unset: '',
    of: ({ limits }) =>
      sizes(limits, {
        requests_per_minute: 'requests-per-minute',
        client_requests_per_minute: 'client-requests-per-minute',
      }),
  },
]

function headerFlags({ headers, headers_from_secrets: hidden }: Fields): Record<string, string[]> {
  return {
    ...pairs(headers, (name, value) => ['--header', `${name}=${value}`]),
    ...pairs(hidden, (name, key) => ['--header-secret', `${name}=${key}`]),
  }
}

function pairs(
  record: Readonly<Record<string, string>> | null | undefined,
  words: (key: string, value: string) => string[],
): Record<string, string[]> {
  return Object.fromEntries(Object.entries(record ?? {}).map(([key, value]) => [key, words(key, value)]))
}

function sizes(
  given: Readonly<Record<string, number | undefined>> | null | undefined,
  flags: Readonly<Record<string, string>>,
): Record<string, string[]> {
  const found = Object.entries(flags).flatMap(([field, flag]): [string, string[]][] => {
    const size = given?.[field]
    return size === undefined ? [] : [[flag, [`--${flag}`, flag === 'memory' ? `${size}m` : String(size)]]]
  })
  return Object.fromEntries(found)
}

function changesOf(before: Readonly<Record<string, string[]>>, after: Readonly<Record<string, string[]>>) {
  const isSame = (key: string) => before[key]?.join('\n') === after[key]?.join('\n')
  return {
    set: Object.keys(after).flatMap((key) => (isSame(key) ? [] : [after[key] ?? []])),
    gone: Object.keys(before).filter((key) => !(key in after)),
  }
}

const placeInside = (volume: string) => volume.split(':')[1] ?? volume

/** Undefined where a profile needs a file. */
function flagsOf(fields: CreateRequest): string[] | undefined {
  const profile = profileFlags(fields.permission_profile)
  if (profile === undefined) return undefined
  const { group, tools = [], network_mode: mode } = fields
  return [
    ...(group === undefined ? [] : ['--group', group]),
    ...MAPS.flatMap(({ of }) => Object.values(of(fields)).flat()),
    ...profile,
    ...(mode === undefined ? [] : ['--network', mode]),
    ...(tools.length > 0 ? ['--tools', tools.join(',')] : []),
    ...(fields.accept_mounts ? ['--accept-mounts'] : []),
  ]
}

/** Those with a name, and a list of hosts on the ports of the web. Others are files. */
function profileFlags(profile: CreateRequest['permission_profile']): string[] | undefined {
  if (profile === undefined) return []
  const { read = [], write = [], privileged = false, network } = profile
  if (read.length + write.length > 0 || privileged) return undefined
  const policy = outboundPolicy({ network })
  const { allow_host: hosts = [], allow_port: ports = [] } = network?.outbound ?? {}
  if (policy === 'everything') return hosts.length === 0 ? ['--permission-profile', 'network'] : undefined
  if (ports.length > 0) return undefined
  return ['--permission-profile', 'none', ...hosts.flatMap((host) => ['--allow-host', host])]
}

const afterDashes = (args: readonly string[]) => (args.length > 0 ? ['--', ...args] : [])

const line = (words: readonly string[]) => words.map(quoted).join(' ')
