import type { CallInput } from '@toolhaven/contract/client'
import type { RunConfig } from '@toolhaven/contract/run-config'
import { quoted } from '../parts/quoted.ts'

/** What may differ from the file, and what the user has to allow. */
export interface ImportWish {
  name: string
  group: string
  /** Empty: a free one. */
  port: string
  acceptNetwork: boolean
  acceptMounts: boolean
  acceptSecrets: boolean
}

/** A configuration and where it came from. */
export interface ImportSource {
  config: RunConfig
  /** What the file says and the configuration does not have. */
  left: readonly string[]
  /** Undefined: it was pasted. */
  file: string | undefined
}

export function wishOf({ name, group = 'default', port }: RunConfig): ImportWish {
  const confirmed = { acceptNetwork: false, acceptMounts: false, acceptSecrets: false }
  return { name, group, port: port === undefined ? '' : String(port), ...confirmed }
}

export function importCall(config: RunConfig, wish: ImportWish): CallInput<'importWorkload'> {
  const { port: _, ...rest } = config
  const { name, group, port, acceptNetwork, acceptMounts, acceptSecrets } = wish
  return {
    // The daemon refuses a text that is not a number.
    body: { ...rest, name: name.trim(), group, ...(port.trim() !== '' && { port: Number(port) }) },
    query: {
      ...(acceptNetwork && { accept_network: true }),
      ...(acceptMounts && { accept_mounts: true }),
      ...(acceptSecrets && { accept_secrets: true }),
    },
  }
}

/** The command that does the same. Without a port, it takes that of the file, or a free one if that is taken and the name is another. */
export function importCommand({ config, file }: ImportSource, wish: ImportWish): string {
  const before = wishOf(config)
  const flag = (name: string, value: string, was: string) => (value === was || value === '' ? [] : [name, value])
  return [
    ...['thv', 'run', '--from-config', file ?? 'server.json'],
    ...flag('--name', wish.name.trim(), before.name),
    ...flag('--group', wish.group, before.group),
    ...flag('--proxy-port', wish.port.trim(), before.port),
    ...(wish.acceptNetwork ? ['--accept-network'] : []),
    ...(wish.acceptMounts ? ['--accept-mounts'] : []),
    ...(wish.acceptSecrets ? ['--accept-secrets'] : []),
  ]
    .map(quoted)
    .join(' ')
}

/** The names of the secrets that it needs. */
export function secretsOf({ secrets = [], remote_auth_config: auth }: RunConfig): string[] {
  const names = [...targetsOf(secrets).map(({ name }) => name), ...Object.values(auth?.headers_from_secrets ?? {})]
  return [...new Set(names)]
}

/** As `name,target=VARIABLE` has them. */
export function targetsOf(references: readonly string[]): { name: string; target: string }[] {
  return references.map((reference) => {
    const [name = '', target = ''] = reference.split(',target=')
    return { name, target }
  })
}
