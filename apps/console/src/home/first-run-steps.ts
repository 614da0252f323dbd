import type { ForeignServerList } from '@toolhaven/contract/adopt'
import { clientTitle } from '@toolhaven/contract/client-titles'
import type { RegisteredClient } from '@toolhaven/contract/clients'
import type { RuntimeReport } from '@toolhaven/contract/runtime-report'
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
  /** A tool of a server was called here. */
  wasCalled: boolean
}

/** The steps from an empty installation to a client that uses a server. */
export function firstRunSteps({ runtime, foreign, clients, servers, wasCalled }: Reported): FirstRunStep[] {
  const movable = foreign.servers.filter(({ becomes, shares }) => becomes && shares === undefined)
  const running = servers.filter(({ status }) => status === 'running')
  const names = clients.map(({ name }) => clientTitle(name))
  return [
    {
      title: 'A runtime is found',
      isDone: runtime.state === 'healthy',
      found: runtime.reason ?? [runtime.name, runtime.version].filter(Boolean).join(' '),
    },
    ...adoption(movable.length, foreign.adoptions.length),
    {
      title: 'A server runs',
      isDone: running.length > 0,
      found: running.length > 0 ? listOf(running.map(({ name }) => name)) : 'None runs yet.',
      ...(running.length === 0 && { next: { label: 'Choose one', to: '/registry' } }),
    },
    {
      title: 'A tool was called',
      isDone: wasCalled,
      found: wasCalled ? 'You have seen a result.' : foundToCall(running[0]?.name),
      ...(!wasCalled && running[0] && { next: { label: 'Try one', to: `/servers/${running[0].name}/try` } }),
    },
    {
      title: 'A client is connected',
      isDone: names.length > 0,
      found: names.length > 0 ? listOf(names) : 'No client sees your servers yet.',
      ...(names.length === 0 && { next: { label: 'Connect one', to: '/clients' } }),
    },
  ]
}

function foundToCall(server: string | undefined): string {
  return server === undefined ? 'This needs a server that runs.' : `See for yourself what ${server} answers.`
}

/** No step if no client ever had its own server. */
function adoption(movable: number, adopted: number): FirstRunStep[] {
  if (movable + adopted === 0) return []
  const isDone = movable === 0
  const next = { label: 'Look at them', to: '/adopt' }
  const found = isDone ? `${adopted} adopted.` : foundInClients(movable)
  return [{ title: 'The servers of your clients run in isolation', isDone, found, ...(!isDone && { next }) }]
}

function foundInClients(movable: number): string {
  return movable === 1 ? '1 server runs without isolation.' : `${movable} servers run without isolation.`
}

function listOf(names: readonly string[]): string {
  const [first, second, third, ...others] = names
  const shown = [first, second, third].filter((name) => name !== undefined)
  return new Intl.ListFormat('en').format(others.length > 0 ? [...shown, `${others.length} more`] : shown)
}
