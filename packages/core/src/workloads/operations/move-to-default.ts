import { DEFAULT_GROUP } from '@toolhaven/contract/names'
import type { WorkloadBook } from '../running/book.ts'
import type { WorkloadsDeps } from '../workloads-deps.ts'

/** A move needs no restart: the generation stays. */
export async function moveToDefault(book: WorkloadBook, workload: string): Promise<void> {
  await book.change(workload, (stored) => ({
    ...stored,
    asked: { ...stored.asked, group: DEFAULT_GROUP },
    config: { ...stored.config, group: DEFAULT_GROUP },
  }))
}

/** The group may have been deleted between the check of a request and its writing down. */
export async function leaveDeletedGroup(
  deps: Pick<WorkloadsDeps, 'book' | 'groupExists'>,
  workload: string,
): Promise<void> {
  const entry = deps.book.find(workload)
  if (entry && !deps.groupExists(entry.stored.config.group ?? DEFAULT_GROUP)) await moveToDefault(deps.book, workload)
}
