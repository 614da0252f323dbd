import { CLIENT_TYPES, type ClientType } from '@toolhaven/contract/client-types'
import { describeError } from '../errors.ts'
import type { GroupBook } from '../groups/group-book.ts'
import type { ClientEntry, ClientFiles } from '../ports/clients.ts'
import type { Logger } from '../ports/logger.ts'
import type { StoredWorkload } from '../ports/stores.ts'
import type { WorkloadBook } from '../workloads/book.ts'
import { clientUrl } from '../workloads/read.ts'

/** Makes all client files follow the workloads and groups; gives what users should know, per client. Never rejects. */
export type ClientSync = () => Promise<ReadonlyMap<ClientType, string[]>>

export interface ClientSyncDeps {
  groups: GroupBook
  book: WorkloadBook
  files: ClientFiles
  logger: Logger
  /** Workloads whose clients still have the entry of before. */
  held: ReadonlySet<string>
}

/** Runs that are asked for while one is under way are answered by one more run after it. */
export function createClientSync(deps: ClientSyncDeps): ClientSync {
  let running: Promise<ReadonlyMap<ClientType, string[]>> | undefined
  let next: Promise<ReadonlyMap<ClientType, string[]>> | undefined

  function start(): Promise<ReadonlyMap<ClientType, string[]>> {
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

async function syncAll(deps: ClientSyncDeps): Promise<ReadonlyMap<ClientType, string[]>> {
  const notes = new Map<ClientType, string[]>()
  for (const client of CLIENT_TYPES) {
    try {
      const result = await deps.files.sync(client, wantedEntries(deps, client), knownEntries(deps))
      if (result.notes.length > 0) notes.set(client, result.notes)
    } catch (error) {
      notes.set(client, [describeError(error)])
      deps.logger.warn('a client file could not be brought up to date', { client, reason: describeError(error) })
    }
  }
  return notes
}

/** An entry stands while its workload is wanted running and the client is registered with its group. */
function wantedEntries({ groups, book, held }: ClientSyncDeps, client: ClientType): Map<string, ClientEntry> {
  const mine = new Set(
    groups
      .all()
      .filter(({ name }) => groups.clientsOf(name).includes(client))
      .map(({ name }) => name),
  )
  const entries = new Map<string, ClientEntry>()
  for (const { stored } of book.all()) {
    if (held.has(stored.config.name)) continue
    if (stored.wanted !== 'running' || !mine.has(stored.config.group ?? 'default')) continue
    entries.set(stored.config.name, entryOf(stored))
  }
  return entries
}

function knownEntries({ book, held }: ClientSyncDeps): Map<string, ClientEntry> {
  const all = book.all().filter(({ stored }) => !held.has(stored.config.name))
  return new Map(all.map(({ stored }) => [stored.config.name, entryOf(stored)]))
}

function entryOf(stored: StoredWorkload): ClientEntry {
  return { url: clientUrl(stored), transport: stored.config.proxy_mode ?? 'streamable-http' }
}
