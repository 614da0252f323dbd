import type { NameKind } from '../command.ts'
import type { DaemonClient } from '../connect/daemon-client.ts'

/** Names there are now, for a shell to offer. */
export async function knownNames(daemon: DaemonClient, kind: NameKind, signal: AbortSignal): Promise<string[]> {
  switch (kind) {
    case 'workload':
      return (await daemon.call('listWorkloads', { query: { all: true } }, signal)).workloads.map(({ name }) => name)
    case 'group':
      return (await daemon.call('listGroups', {}, signal)).groups.map(({ name }) => name)
    case 'client':
      return (await daemon.call('discoverClients', {}, signal)).clients.map((client) => client.client_type)
    case 'secret':
      return (await daemon.call('listSecrets', {}, signal)).keys.map(({ key }) => key)
    case 'server': {
      const { servers, remote_servers: remote } = await daemon.call(
        'listServers',
        { params: { name: 'default' } },
        signal,
      )
      return [...servers, ...remote].map(({ name = '' }) => name)
    }
  }
}
