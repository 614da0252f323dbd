import { type Announce, announcing } from '../event-bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { LogStore, RecordStore, StoredExits, StoredSightings, StoredToolLock } from '../ports/stores.ts'
import { ToolLocks } from '../tools/tool-locks.ts'
import type { WorkloadBook } from '../workloads/running/book.ts'
import { Sightings } from '../workloads/running/sightings.ts'
import type { SupervisorDeps } from '../workloads/running/supervisor-deps.ts'
import { ExitHistory } from './exit-history.ts'

interface RecordsPorts {
  clock: Clock
  logger: Logger
  logs: LogStore
  toolLockStore: RecordStore<StoredToolLock>
  sightingsStore: RecordStore<StoredSightings>
  exitStore: RecordStore<StoredExits>
}

interface RecordsDeps extends Pick<SupervisorDeps, 'book' | 'masker' | 'shutdown'> {
  announce: Announce
}

/** The records of workloads besides their configuration. */
export function recordsOf(ports: RecordsPorts, { book, masker, announce, shutdown }: RecordsDeps) {
  const { clock, logger, logs } = ports
  const toolLockStore = announcing(ports.toolLockStore, 'tools', announce)
  const sightingsStore = announcing(ports.sightingsStore, 'isolation', announce)
  return {
    toolLocks: new ToolLocks({ store: toolLockStore, clock, masker, logger, ...toolEvents(book, logs) }),
    sightings: new Sightings({ store: sightingsStore, clock, masker, logger, shutdown }),
    exits: new ExitHistory({ store: ports.exitStore, clock, masker, logger }),
  }
}

function toolEvents(book: WorkloadBook, logs: LogStore) {
  return {
    onDifference: (name: string, what: string | undefined, isNew: boolean) => {
      if (what === undefined) return book.observe(name, {}, ['toolsChanged'])
      if (isNew) logs.append(name, 'stderr', `${what}; see "thv tools diff ${name}"`)
      book.observe(name, { toolsChanged: what })
    },
  }
}
