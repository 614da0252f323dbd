import type { RegisteredClient } from '@toolhaven/contract/clients'
import type { Manifest } from '@toolhaven/contract/manifest'
import type { RegistryInfo } from '@toolhaven/contract/registry'
import type { CreateRequest } from '@toolhaven/contract/workload-request'
import type { Workload } from '@toolhaven/contract/workloads'
import type { DaemonClient } from '../connect/daemon-client.ts'

/** The state of the daemon, limited to what a file can describe. */
export interface CurrentState {
  groups: string[]
  registry: Pick<RegistryInfo, 'type' | 'source'>
  workloads: CurrentWorkload[]
  clients: RegisteredClient[]
}

export interface CurrentWorkload {
  record: Workload
  /** Read only for the workloads that the file names. */
  asked?: { request: CreateRequest; hidden_headers: string[] }
}

export async function currentState(
  client: DaemonClient,
  { workloads }: Pick<Manifest, 'workloads'>,
  signal: AbortSignal,
): Promise<CurrentState> {
  const [{ groups }, { registries }, listed, clients] = await Promise.all([
    client.call('listGroups', {}, signal),
    client.call('listRegistries', {}, signal),
    client.call('listWorkloads', { query: { all: true } }, signal),
    client.call('listClients', {}, signal),
  ])
  const named = new Set(workloads.map(({ name }) => name))
  const present = listed.workloads.filter(({ status }) => status !== 'removing')
  return {
    groups: groups.map(({ name }) => name),
    registry: registries[0] ?? { type: 'default', source: '' },
    workloads: await Promise.all(
      present.map(async (record) => {
        if (!named.has(record.name)) return { record }
        return { record, asked: await client.call('getWorkloadRequest', { params: { name: record.name } }, signal) }
      }),
    ),
    clients,
  }
}
