import { CLIENT_TYPES, type ClientType } from '@toolhaven/contract/client-types'
import type { ClientPreview, ClientResponse, RegisteredClient } from '@toolhaven/contract/clients'
import { DEFAULT_GROUP } from '@toolhaven/contract/names'
import { notFound } from '../errors.ts'
import type { GroupBook } from '../groups/group-book.ts'
import type { ClientFiles } from '../ports/clients.ts'
import type { StoredAdoption } from '../ports/foreign-entries.ts'
import type { Journal, RecordStore } from '../ports/stores.ts'
import { compareNames } from '../workloads/running/book.ts'
import { type ClientSync, type EntriesDeps, entriesFor, type SyncNews } from './sync.ts'

export interface ClientsDeps extends EntriesDeps {
  groups: GroupBook
  files: ClientFiles
  sync: ClientSync
  journal: Journal
  adoptions: Pick<RecordStore<StoredAdoption>, 'load'>
}

export function listClients({ groups }: Pick<ClientsDeps, 'groups'>): RegisteredClient[] {
  return CLIENT_TYPES.map((name) => ({ name, groups: groupsOf(groups, name) }))
    .filter((client) => client.groups.length > 0)
    .toSorted((a, b) => compareNames(a.name, b.name))
}

/** Every known client, in the order of the specification. */
export async function discoverClients({ groups, files }: Pick<ClientsDeps, 'groups' | 'files'>) {
  return Promise.all(
    CLIENT_TYPES.map(async (type) => ({
      client_type: type,
      installed: await files.isInstalled(type),
      registered: groupsOf(groups, type).length > 0,
    })),
  )
}

/** Without `groups`, uses the groups that the client is registered with. */
export async function previewClient(
  deps: Pick<ClientsDeps, 'groups' | 'files' | 'adoptions'> & EntriesDeps,
  client: ClientType,
  wanted?: readonly string[],
): Promise<ClientPreview> {
  if (wanted !== undefined) checkGroups(deps, wanted)
  const groups = [...new Set(wanted ?? groupsOf(deps.groups, client))]
  const entries = entriesFor(deps, new Set(groups))
  const [installed, { files, reads }, adoptions] = await Promise.all([
    deps.files.isInstalled(client),
    deps.files.preview(client, entries.wanted, entries.known),
    deps.adoptions.load(),
  ])
  const adoptedIn = (path: string) =>
    adoptions.flatMap(({ name, phase, entries: places }) =>
      places
        .filter((place) => phase === 'adopted' && place.client === client && place.path === path)
        .map(({ key }) => ({ key, workload: name })),
    )
  return {
    ...{ client_type: client, installed, groups },
    ...(reads && { reads }),
    files: files.map(({ foreign, ...file }) => {
      const adopted = adoptedIn(file.path).filter(({ key }) => foreign.includes(key))
      return { ...file, adopted, foreign: foreign.filter((each) => adopted.every(({ key }) => key !== each)) }
    }),
  }
}

export async function registerClient(
  deps: ClientsDeps,
  client: ClientType,
  groups?: readonly string[],
): Promise<ClientResponse> {
  return responseOf(deps, client, await join(deps, [client], groups))
}

export async function registerClients(
  deps: ClientsDeps,
  clients: readonly ClientType[],
  groups?: readonly string[],
): Promise<ClientResponse[]> {
  const news = await join(deps, clients, groups)
  return [...new Set(clients)].map((client) => responseOf(deps, client, news))
}

function responseOf(deps: ClientsDeps, name: ClientType, news: ReadonlyMap<ClientType, SyncNews>): ClientResponse {
  const { notes = [], problem } = news.get(name) ?? {}
  return {
    ...{ name, groups: groupsOf(deps.groups, name) },
    ...(notes.length > 0 && { notes }),
    ...(problem !== undefined && { problem }),
  }
}

/** Refuses unknown groups before it writes anything. */
async function join(deps: ClientsDeps, clients: readonly ClientType[], wanted?: readonly string[]) {
  const groups = wanted?.length ? wanted : [DEFAULT_GROUP]
  checkGroups(deps, groups)
  for (const name of groups) {
    await deps.groups.change(name, (group) => {
      const before = group ?? { name, registeredClients: [] }
      return { ...before, registeredClients: [...new Set([...before.registeredClients, ...clients])] }
    })
  }
  await deps.journal.append({ actor: 'api', action: 'register-clients', target: clients.join(','), detail: { groups } })
  return deps.sync()
}

/** Without groups, unregisters everywhere. If a client is not registered there, throws and changes nothing. */
export async function unregisterClients(
  deps: ClientsDeps,
  clients: readonly ClientType[],
  wanted?: readonly string[],
): Promise<void> {
  if (wanted?.length) checkGroups(deps, wanted)
  for (const client of clients) {
    const registered = groupsOf(deps.groups, client)
    const missing = wanted?.length ? wanted.filter((group) => !registered.includes(group)) : []
    if (registered.length === 0 || missing.length > 0) {
      const where = missing.length > 0 ? ` with group ${missing.join(', ')}` : ''
      throw notFound(`client ${client} is not registered${where}`)
    }
  }
  const groups = wanted?.length ? wanted : deps.groups.all().map(({ name }) => name)
  for (const name of groups) {
    await deps.groups.change(name, (group) => {
      if (!group?.registeredClients.some((client) => clients.some((gone) => gone === client))) return group
      return {
        ...group,
        registeredClients: group.registeredClients.filter((client) => !clients.some((gone) => gone === client)),
      }
    })
  }
  await deps.journal.append({
    actor: 'api',
    action: 'unregister-clients',
    target: clients.join(','),
    detail: { groups },
  })
  await deps.sync()
}

function checkGroups({ groups }: Pick<ClientsDeps, 'groups'>, names: readonly string[]): void {
  const unknown = names.filter((name) => !groups.has(name))
  if (unknown.length > 0) throw notFound(`group ${unknown.join(', ')} not found; create it first`)
}

function groupsOf(groups: GroupBook, client: ClientType): string[] {
  return groups.all().flatMap(({ name }) => (groups.clientsOf(name).includes(client) ? [name] : []))
}
