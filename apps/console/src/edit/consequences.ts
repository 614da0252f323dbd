import { clientTitle } from '@toolhaven/contract/client-titles'
import type { RegisteredClient } from '@toolhaven/contract/clients'
import type { WorkloadPlan } from '@toolhaven/contract/plans'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'

type Server = Pick<WorkloadDetails, 'name' | 'status' | 'url' | 'group'>

/** The effects of an edit other than the changed configuration, in sentences. */
export function consequencesOf(
  server: Server,
  { differences, restarts }: Pick<WorkloadPlan, 'differences' | 'restarts'>,
  clients: readonly RegisteredClient[],
): string[] {
  return [runSentence(server, differences, restarts), ...fileSentences(server, differences, clients)]
}

function runSentence(
  { name, status, url }: Server,
  differences: WorkloadPlan['differences'],
  restarts: boolean,
): string {
  if (restarts) return `${name} restarts. Calls that run at that moment fail. Its address stays ${url}.`
  // A move to another group does not touch the server. Every other edit starts it.
  const isMove = differences.every(({ field }) => field === 'group')
  return status === 'stopped' && !isMove ? `${name} is stopped. This change starts it.` : 'Nothing restarts.'
}

function fileSentences(
  { name, group }: Server,
  differences: WorkloadPlan['differences'],
  clients: readonly RegisteredClient[],
): string[] {
  const moved = differences.find(({ field }) => field === 'group')
  const next = typeof moved?.after === 'string' ? moved.after : moved ? 'default' : group
  const isAddressed = differences.some(({ field }) => field === 'proxy_mode' || field === 'host')
  const sees = (of: string) => (client: RegisteredClient) => client.groups.includes(of)
  const [seeing, willSee] = [clients.filter(sees(group)), clients.filter(sees(next))]
  const gets = willSee.filter((client) => !seeing.includes(client))
  const loses = seeing.filter((client) => !willSee.includes(client))
  const readdressed = isAddressed ? willSee.filter((client) => seeing.includes(client)) : []
  const sentences = [
    ...sentence(gets, `an entry for ${name}`, 'gets', 'get'),
    ...sentence(loses, `the entry for ${name}`, 'loses', 'lose'),
    ...sentence(readdressed, `another address for ${name}`, 'gets', 'get'),
  ]
  return sentences.length > 0 ? sentences : ['No client file changes.']
}

function sentence(clients: readonly RegisteredClient[], what: string, one: string, several: string): string[] {
  if (clients.length === 0) return []
  const names = new Intl.ListFormat('en').format(clients.map(({ name }) => clientTitle(name)))
  return [`The ${clients.length === 1 ? 'file' : 'files'} of ${names} ${clients.length === 1 ? one : several} ${what}.`]
}
