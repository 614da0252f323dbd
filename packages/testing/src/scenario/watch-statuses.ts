import { type WorkloadStatus, mayFollow } from '@toolhaven/contract/workload-status'
import type { FakeDaemon } from '@toolhaven/fakes/fake-daemon'

/** Collects every change of status that the table of statuses does not allow. */
export function watchStatuses(fake: FakeDaemon): { violations: string[] } {
  const violations: string[] = []
  const last = new Map<string, WorkloadStatus>()
  fake.daemon.events.subscribe(({ workload, status }) => {
    const before = last.get(workload)
    if (status === 'removed') {
      if (before !== undefined && before !== 'removing') violations.push(`${workload}: ${before} → removed`)
      last.delete(workload)
      return
    }
    if (before !== undefined && !mayFollow(before, status)) violations.push(`${workload}: ${before} → ${status}`)
    last.set(workload, status)
  })
  return { violations }
}
