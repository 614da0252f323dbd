import type { WorkloadEvent } from '@toolhaven/contract/events'

const BAR_WIDTH = 20

/** What goes on with a workload, with a bar where the daemon knows how much there is to do. */
export function progressLine({ workload, status, status_context: context, progress }: WorkloadEvent): string {
  return withBar(`${workload}: ${context || status}`, progress)
}

export function withBar(what: string, progress: WorkloadEvent['progress']): string {
  if (!progress?.total || progress.done === undefined) return what
  const filled = Math.min(BAR_WIDTH, Math.floor((BAR_WIDTH * progress.done) / progress.total))
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${what}`
}
