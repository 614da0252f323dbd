import type { WorkloadStatus } from '@toolhaven/contract/workload-status'

const SHAPES: Readonly<Record<WorkloadStatus, string>> = {
  running: '●',
  starting: '◐',
  stopping: '◑',
  removing: '◑',
  stopped: '○',
  error: '▲',
  unhealthy: '▲',
  unknown: '?',
}

/** A status in a shape, a word and a colour. */
export function StatusBadge({ status }: { status: WorkloadStatus }) {
  return (
    <span className={`status status-${status}`}>
      <span aria-hidden="true">{SHAPES[status]}</span> {status}
    </span>
  )
}
