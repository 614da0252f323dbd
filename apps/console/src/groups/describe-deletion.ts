import { clientTitle } from '@toolhaven/contract/client-titles'
import type { RegisteredClient } from '@toolhaven/contract/clients'
import { DEFAULT_GROUP } from '@toolhaven/contract/names'

export interface Deletion {
  group: string
  /** Names of the servers in it. */
  members: readonly string[]
  clients: readonly RegisteredClient[]
  /** Its servers are removed too, instead of moving. */
  withServers: boolean
}

/** What deleting a group does to its servers and to the clients that are connected to it. */
export function describeDeletion({ group, members, clients, withServers }: Deletion): string[] {
  const isIn = (name: string) => (client: RegisteredClient) => client.groups.includes(name)
  const own = clients.filter(isIn(group))
  const leaving = own.length > 0 ? [`${namesOf(own)} ${own.length === 1 ? 'leaves' : 'leave'} the group.`] : []
  if (members.length === 0) return ['It has no servers.', ...leaving]
  const list = listOf(members)
  const isOne = members.length === 1
  if (withServers)
    return [
      `${list} ${isOne ? 'is' : 'are'} removed with ${isOne ? 'its' : 'their'} configuration, logs and client entries.`,
      ...leaving,
    ]
  const losing = own.filter((client) => !isIn(DEFAULT_GROUP)(client))
  const gaining = clients.filter((client) => isIn(DEFAULT_GROUP)(client) && !isIn(group)(client))
  const them = isOne ? 'it' : 'them'
  return [
    `${list} ${isOne ? 'moves' : 'move'} to the group ${DEFAULT_GROUP}, without a restart.`,
    ...(losing.length > 0 ? [`${namesOf(losing)} no longer ${losing.length === 1 ? 'sees' : 'see'} ${them}.`] : []),
    ...(gaining.length > 0
      ? [`${namesOf(gaining)} ${gaining.length === 1 ? 'sees' : 'see'} ${them} from now on.`]
      : []),
  ]
}

export function deletionCommand({ group, members, withServers }: Omit<Deletion, 'clients'>): string {
  const words = ['thv group rm', group, ...(withServers ? ['--with-workloads'] : [])]
  return [...words, ...(members.length > 0 ? ['--yes'] : [])].join(' ')
}

const namesOf = (clients: readonly RegisteredClient[]) => listOf(clients.map(({ name }) => clientTitle(name)))

function listOf(items: readonly string[]): string {
  return new Intl.ListFormat('en').format(items)
}
