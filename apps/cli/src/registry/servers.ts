import type { ImageServer, RemoteServer } from '@toolhaven/contract/registry-document'
import type { DaemonClient } from '../connect/daemon-client.ts'
import type { Output } from '../output/output.ts'

/** The API's name for the only registry. */
export const REGISTRY = 'default'

export type Server = ImageServer | RemoteServer

export interface ServerList {
  servers: ImageServer[]
  remote_servers: RemoteServer[]
}

export async function serverNames(client: DaemonClient, signal: AbortSignal): Promise<string[]> {
  const { servers, remote_servers } = await client.call('listServers', { params: { name: REGISTRY } }, signal)
  return [...servers, ...remote_servers].map(({ name = '' }) => name)
}

/** How it is run: as a package, a container image or at its own address. */
export function kindOf(server: Server): string {
  if ('url' in server) return 'remote'
  return /^(npx|uvx|go):\/\//.exec(server.image)?.[1] ?? 'image'
}

export function serverTable(out: Output, { servers, remote_servers }: ServerList): void {
  out.table<Server>(
    [
      { title: 'NAME', value: ({ name = '' }) => name },
      { title: 'KIND', value: kindOf },
      { title: 'TRANSPORT', value: ({ transport }) => transport },
      { title: 'TIER', value: ({ tier }) => tier },
      { title: 'TOOLS', value: ({ tools }) => String(tools.length) },
      { title: 'DESCRIPTION', value: describe, shrinks: true },
    ],
    [...servers, ...remote_servers],
  )
}

function describe({ status, description }: Server): string {
  return status === 'deprecated' ? `(deprecated) ${description}` : description
}
