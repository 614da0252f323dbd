import { CLIENT_TYPES, type ClientType } from '@toolhaven/contract/client-types'
import { describeError } from '../errors.ts'
import type { GroupBook } from '../groups/group-book.ts'
import type { ClientEntry, ClientFiles } from '../ports/clients.ts'
import type { Logger } from '../ports/logger.ts'
import type { StoredWorkload } from '../ports/stores.ts'
import type { WorkloadBook } from '../workloads/running/book.ts'
import { clientUrl } from '../workloads/operations/read.ts'

export interface SyncNews {
  notes: string[]
  /** Why the client's file could not be updated. */
  problem?: string
}

/** Updates all client files to match the workloads and groups. Returns the notes for users, per client. Never rejects. */
export type ClientSync = () => Promise<ReadonlyMap<ClientType, SyncNews>>

export interface EntriesDeps {
  book: WorkloadBook
  /** Workloads whose clients still have the original entry. */
  held: ReadonlySet<string>
  /** Workloads whose entries belong to an adoption until it is undone. */
  adopted: ReadonlySet<string>
}

export interface ClientSyncDeps extends EntriesDeps {
  groups: GroupBook
  files: ClientFiles
  logger: Logger
}

/** All runs requested while one is in progress are served by a single further run. */
export function createClientSync(deps: ClientSyncDeps): ClientSync {
  let running: ReturnType<ClientSync> | undefined
  let next: ReturnType<ClientSync> | undefined

  function start(): ReturnType<ClientSync> {
    running = syncAll(deps).finally(() => {
      running = undefined
    })
    return running
  }

  return () => {
    if (!running) return start()
    next ??= running.then(() => {
      next = undefined
      return start()
    })
    return next
  }
}

async function syncAll(deps: ClientSyncDeps): Promise<ReadonlyMap<ClientType, SyncNews>> {
  const news = new Map<ClientType, SyncNews>()
  for (const client of CLIENT_TYPES) {
    try {
      const { wanted, known } = entriesFor(deps, groupsOf(deps, client))
      const result = await deps.files.sync(client, wanted, known)
      if (result.notes.length > 0) news.set(client, { notes: result.notes })
    } catch (error) {
      news.set(client, { notes: [describeError(error)], problem: describeError(error) })
      deps.logger.warn('a client file could not be updated', { client, reason: describeError(error) })
    }
  }
  return news
}

interface EntriesForClient {
  wanted: ReadonlyMap<string, ClientEntry>
  known: ReadonlyMap<string, ClientEntry>
}

/** The entries for a client that is registered with these groups. */
export function entriesFor(deps: EntriesDeps, groups: ReadonlySet<string>): EntriesForClient {
  return { wanted: wantedEntries(deps, groups), known: groups.size === 0 ? new Map() : knownEntries(deps) }
}

/** An entry stays while its workload is wanted running and the client is registered with its group. */
function wantedEntries({ book, held }: EntriesDeps, mine: ReadonlySet<string>): Map<string, ClientEntry> {
  const entries = new Map<string, ClientEntry>()
  for (const { stored } of book.all()) {
    if (held.has(stored.config.name)) continue
    if (stored.wanted !== 'running' || !mine.has(stored.config.group ?? 'default')) continue
    entries.set(stored.config.name, entryOf(stored))
  }
  return entries
}

/** The groups that a client is registered with. */
function groupsOf({ groups }: ClientSyncDeps, client: ClientType): Set<string> {
  const mine = groups.all().filter(({ name }) => groups.clientsOf(name).includes(client))
  return new Set(mine.map(({ name }) => name))
}

/**
 * The entries that we may have written into the files of a registered client. In the files of other clients, people write such
 * entries by hand.
 */
function knownEntries({ book, held, adopted }: EntriesDeps): Map<string, ClientEntry> {
  const all = book.all().filter(({ stored: { config } }) => !held.has(config.name) && !adopted.has(config.name))
  return new Map(all.map(({ stored }) => [stored.config.name, entryOf(stored)]))
}

function entryOf(stored: StoredWorkload): ClientEntry {
  return { url: clientUrl(stored), transport: stored.config.proxy_mode ?? 'streamable-http' }
}
