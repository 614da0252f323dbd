import type { WorkloadsDeps } from '../workloads-deps.ts'

/** Removes output that belongs to no workload: of one whose removal was cut short, or whose record was lost. */
export async function pruneLogs(
  deps: Pick<WorkloadsDeps, 'book' | 'logs' | 'journal'>,
): Promise<{ removed: string[] }> {
  const removed: string[] = []
  for (const name of await deps.logs.names()) {
    // Asked anew for each: a workload may have been made meanwhile.
    const isInUse = deps.book.all().some(({ stored }) => stored.config.name.toLowerCase() === name)
    if (isInUse) continue
    await deps.logs.remove(name)
    removed.push(name)
  }
  if (removed.length > 0) await deps.journal.append({ actor: 'api', action: 'prune-logs', target: removed.join(',') })
  return { removed }
}
