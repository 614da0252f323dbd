import type { AdoptRequest, ForeignServer } from '@toolhaven/contract/adopt'

/** Names of variables and headers whose values move to the secret store. */
export function keysOf({ env_vars, headers }: ForeignServer): string[] {
  return [...env_vars, ...headers].filter(({ secret }) => secret).map(({ name }) => name)
}

export interface Choices {
  group: string
  acceptsMounts: boolean
  acceptsNetwork: boolean
}

export function wishOf({ name }: ForeignServer, { group, acceptsMounts, acceptsNetwork }: Choices): AdoptRequest {
  return {
    name,
    ...(group !== 'default' && { group }),
    ...(acceptsMounts && { accept_mounts: true }),
    ...(acceptsNetwork && { accept_network: true }),
  }
}

export function adoptCommand({ name, group, accept_mounts: mounts, accept_network: network }: AdoptRequest): string {
  const words = [
    `thv adopt ${name}`,
    ...(group === undefined ? [] : [`--group ${group}`]),
    ...(mounts ? ['--accept-mounts'] : []),
    ...(network ? ['--accept-network'] : []),
    '--yes',
  ]
  return words.join(' ')
}

export function whatHappens(server: ForeignServer): string[] {
  const { name, becomes, shares } = server
  const keys = keysOf(server)
  if (!becomes) return []
  const runs =
    shares === undefined
      ? `Starts ${name} in isolation from ${becomes.image ?? becomes.url ?? ''}.`
      : `Uses the server ${shares}, which was adopted from another client.`
  return [
    runs,
    ...(becomes.cmd_arguments.length > 0 ? [`Its arguments stay: ${becomes.cmd_arguments.join(' ')}`] : []),
    ...becomes.volumes.map(mountSentence),
    ...(becomes.image !== undefined && becomes.volumes.length === 0 ? ['It can no longer see your files.'] : []),
    ...(keys.length > 0 ? [`Moves the values of ${listOf(keys)} to the secret store.`] : []),
    'Changes the files below once it runs. If it does not start, they stay as they are.',
  ]
}

function mountSentence(volume: string): string {
  const path = volume.replace(/:(?:ro|rw)$/, '').split(':')[0] ?? volume
  return volume.endsWith(':ro') ? `May read ${path}.` : `May read and change ${path}.`
}

/** An entry in words. Values of variables never leave the daemon. */
export function changedEntry(server: ForeignServer): { before: string[]; after: string[] } {
  const { command, env_vars: variables, headers, becomes, name, shares } = server
  const names = [...variables, ...headers].map((each) => each.name)
  const isAddress = becomes?.url !== undefined
  return {
    before: [
      `${isAddress ? 'connects to' : 'runs'} ${command}`,
      ...(names.length > 0 ? [`with ${listOf(names)} in readable text`] : []),
    ],
    after: [`connects to the address of ${shares ?? name} in Toolhaven`],
  }
}

function listOf(items: readonly string[]): string {
  return new Intl.ListFormat('en').format(items)
}
