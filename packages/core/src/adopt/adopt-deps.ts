import type { EventBus } from '../event-bus.ts'
import type { ForeignEntries, StoredAdoption } from '../ports/foreign-entries.ts'
import type { Journal, RecordStore } from '../ports/stores.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { WorkloadsDeps } from '../workloads/workloads-deps.ts'

export interface AdoptDeps {
  entries: ForeignEntries
  store: RecordStore<StoredAdoption>
  workloads: WorkloadsDeps
  secrets: Secrets
  events: EventBus
  journal: Journal
  /** Workloads that are not in client files yet: their clients still have the original entry. */
  held: Set<string>
  /** Workloads whose entries belong to an adoption until it is undone. */
  adopted: Set<string>
  shutdown: AbortSignal
}
