import { outboundPolicy } from '@toolhaven/contract/permission-profile'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'

type Configured = Pick<
  WorkloadDetails,
  | 'permission_profile'
  | 'volumes'
  | 'secrets'
  | 'headers_from_secrets'
  | 'network_mode'
  | 'network_isolation_mode'
  | 'remote'
>

/** What a server may do, in sentences. */
export function describePermissions(server: Configured): string[] {
  if (server.remote) return ['It runs elsewhere: nothing of it runs on this machine.', ...secretSentences(server)]
  return [networkSentence(server), ...fileSentences(server), ...secretSentences(server)]
}

/** What it may reach. */
export function networkSentence({
  permission_profile: profile,
  network_mode,
  network_isolation_mode,
}: Pick<Configured, 'permission_profile' | 'network_mode' | 'network_isolation_mode'>): string {
  if (network_mode === 'host') return 'Uses the network of this machine, with everything that it reaches.'
  if (network_isolation_mode === 'observe') return 'May reach every public host while its connections are recorded.'
  const policy = outboundPolicy(profile ?? {})
  if (policy === 'nothing') return 'May not reach the network.'
  if (policy === 'everything') return 'May reach every public host, but nothing on this machine or its network.'
  const { allow_host: hosts = [], allow_port: ports = [] } = profile?.network?.outbound ?? {}
  const where = hosts.length > 0 ? listOf(hosts) : 'every public host'
  const onPorts = ports.length > 0 ? ` on port ${listOf(ports.map(String))}` : ''
  return `May reach ${where}${onPorts}, and nothing else.`
}

function fileSentences({ permission_profile: profile, volumes = [] }: Configured): string[] {
  const readOnly = (volume: string) => volume.endsWith(':ro')
  const read = [...(profile?.read ?? []), ...volumes.filter(readOnly)].map(hostPath)
  const write = [...(profile?.write ?? []), ...volumes.filter((volume) => !readOnly(volume))].map(hostPath)
  if (read.length + write.length === 0) return ['May not see your files.']
  return [
    ...(read.length > 0 ? [`May read ${listOf(read)}.`] : []),
    write.length > 0 ? `May read and change ${listOf(write)}.` : 'May not change your files.',
  ]
}

function secretSentences({ secrets = [], headers_from_secrets: headers = {} }: Configured): string[] {
  const sent = Object.entries(headers).map(([header, key]) => `Is sent the secret ${key} as the header ${header}.`)
  if (secrets.length === 0) return sent.length > 0 ? sent : ['Gets no secret.']
  const list = listOf(secrets.map(({ name, target }) => (name === target ? name : `${name} as ${target}`)))
  return [`Gets ${secrets.length === 1 ? 'the secret' : `${secrets.length} secrets:`} ${list}.`, ...sent]
}

function hostPath(mount: string): string {
  return mount.replace(/:(?:ro|rw)$/, '').split(':')[0] ?? mount
}

function listOf(items: readonly string[]): string {
  return new Intl.ListFormat('en').format(items)
}
