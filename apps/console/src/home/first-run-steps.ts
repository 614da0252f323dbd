import type { ForeignServerList } from '@toolhaven/contract/adopt'
import type { RegisteredClient } from '@toolhaven/contract/clients'
import type { RuntimeReport } from '@toolhaven/contract/system'
import type { Workload } from '@toolhaven/contract/workloads'

export interface FirstRunStep {
  title: string
  isDone: boolean
  /** As the daemon reports it. */
  found: string
  next?: { label: string; to: string }
}

export interface Reported {
  runtime: Pick<RuntimeReport, 'name' | 'state' | 'version' | 'reason'>
  foreign: ForeignServerList
  clients: readonly RegisteredClient[]
  servers: readonly Pick<Workload, 'name' | 'status' | 'url'>[]
}

/** The way from nothing to a client that uses a server. */
export function firstRunSteps({ runtime, foreign, clients, servers }: Reported): FirstRunStep[] {
  const movable = foreign.servers.filter(({ becomes, shares }) => becomes && shares === undefined)
  const running = servers.filter(({ status }) => status === 'running')
  const names = clients.map(({ name }) => name)
  return [
    {
      title: 'A runtime is found',
      isDone: runtime.state === 'healthy',
      found: runtime.reason ?? [runtime.name, runtime.version].filter(Boolean).join(' '),
    },
    {
      title: 'The servers of your clients run in isolation',
      isDone: movable.length === 0,
      found: foundInClients(movable.length, foreign.adoptions.length),
      ...(movable.length > 0 && { next: { label: 'Look at them', to: '/adopt' } }),
    },
    {
      title: 'A server runs',
      isDone: running.length > 0,
      found: running.length > 0 ? listOf(running.map(({ name }) => name)) : 'None runs yet.',
      ...(running.length === 0 && { next: { label: 'Choose one', to: '/registry' } }),
    },
    {
      title: 'A client is connected',
      isDone: names.length > 0,
      found: names.length > 0 ? listOf(names) : 'No client gets your servers yet.',
      ...(names.length === 0 && { next: { label: 'Connect one', to: '/clients' } }),
    },
  ]
}

function foundInClients(movable: number, adopted: number): string {
  if (movable === 0) return adopted === 0 ? 'No client has a server of its own.' : `${adopted} adopted.`
  return movable === 1 ? '1 server runs without isolation.' : `${movable} servers run without isolation.`
}

function listOf(names: readonly string[]): string {
  const [first, second, third, ...others] = names
  const shown = [first, second, third].filter((name) => name !== undefined)
  return new Intl.ListFormat('en').format(others.length > 0 ? [...shown, `${others.length} more`] : shown)
}
