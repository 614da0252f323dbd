import type { WorkloadsDeps } from '../workloads-deps.ts'

/** Removes output without a workload: its removal was interrupted, or its record was lost. */
export async function pruneLogs(
  deps: Pick<WorkloadsDeps, 'book' | 'logs' | 'journal'>,
): Promise<{ removed: string[] }> {
  const removed: string[] = []
  for (const name of await deps.logs.names()) {
    // Checked again for each, because a workload may have been created in the meantime.
    const isInUse = deps.book.all().some(({ stored }) => stored.config.name.toLowerCase() === name)
    if (isInUse) continue
    await deps.logs.remove(name)
    removed.push(name)
  }
  if (removed.length > 0) await deps.journal.append({ actor: 'api', action: 'prune-logs', target: removed.join(',') })
  return { removed }
}
