import type { WorkloadEvent } from '@toolhaven/contract/events'

const BAR_WIDTH = 20

/** The progress of a workload, with a bar if the daemon knows the total. */
export function progressLine({ workload, status, status_context: context, progress }: WorkloadEvent): string {
  return withBar(`${workload}: ${context || status}`, progress)
}

export function withBar(what: string, progress: WorkloadEvent['progress']): string {
  if (!progress?.total || progress.done === undefined) return what
  const filled = Math.min(BAR_WIDTH, Math.floor((BAR_WIDTH * progress.done) / progress.total))
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${what}`
}
