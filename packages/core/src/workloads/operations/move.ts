import { DEFAULT_GROUP } from '@toolhaven/contract/names'
import type { UpdateRequest } from '@toolhaven/contract/workload-request'
import type { WorkloadBook } from '../running/book.ts'
import type { WorkloadsDeps } from '../workloads-deps.ts'

/** A move needs no restart: the generation stays. */
export async function moveToGroup(book: WorkloadBook, workload: string, group: string): Promise<void> {
  await book.change(workload, (stored) => ({
    ...stored,
    asked: { ...stored.asked, group },
    config: { ...stored.config, group },
  }))
}

/** An edit that changes only the group. */
export const isMove = (update: UpdateRequest): boolean => {
  const fields = Object.entries(update).filter(([field, value]) => field !== 'name' && value !== undefined)
  return fields.length === 1 && fields[0]?.[0] === 'group'
}

/** The group may have been deleted after the request was checked. */
export async function leaveDeletedGroup(
  deps: Pick<WorkloadsDeps, 'book' | 'groupExists'>,
  workload: string,
): Promise<void> {
  const entry = deps.book.find(workload)
  if (entry && !deps.groupExists(entry.stored.config.group ?? DEFAULT_GROUP))
    await moveToGroup(deps.book, workload, DEFAULT_GROUP)
}
