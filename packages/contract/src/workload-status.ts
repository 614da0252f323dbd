import * as z from 'zod'

/** The one table of statuses: what each means and which may follow it. Code, tests and documentation all use it. */
export const WORKLOAD_STATUSES = {
  running: {
    meaning: 'the server is up and answers',
    next: ['unhealthy', 'starting', 'error', 'stopping', 'removing', 'unknown'],
  },
  stopped: {
    meaning: 'the server was stopped and its configuration is kept',
    next: ['starting', 'removing', 'unknown'],
  },
  error: {
    meaning: 'the server cannot be started; the reason is in status_context',
    next: ['starting', 'running', 'stopping', 'stopped', 'removing', 'unknown'],
  },
  starting: {
    meaning: 'an image is being fetched or the server is coming up; progress is in status_context',
    next: ['running', 'error', 'stopping', 'stopped', 'removing', 'unknown'],
  },
  stopping: {
    meaning: 'the server was asked to end',
    next: ['stopped', 'starting', 'removing', 'error', 'unknown'],
  },
  unhealthy: {
    meaning: 'the server is up but no longer answers; it is restarted with growing pauses',
    next: ['running', 'starting', 'error', 'stopping', 'removing', 'unknown'],
  },
  removing: {
    meaning: 'the server, its container and its client entries are being removed',
    next: ['unknown'],
  },
  unknown: {
    meaning: 'the status cannot be determined because the runtime does not answer; the reason is in status_context',
    next: ['running', 'stopped', 'error', 'starting', 'stopping', 'unhealthy', 'removing'],
  },
} as const satisfies Record<string, { meaning: string; next: readonly string[] }>

export type WorkloadStatus = keyof typeof WORKLOAD_STATUSES

export const WORKLOAD_STATUS_NAMES: readonly [WorkloadStatus, ...WorkloadStatus[]] = [
  'running',
  'stopped',
  'error',
  'starting',
  'stopping',
  'unhealthy',
  'removing',
  'unknown',
]

export const workloadStatus = z
  .enum(WORKLOAD_STATUS_NAMES)
  .meta({ id: 'runtime.WorkloadStatus', description: 'State of a workload' })

/** A status may follow itself: its context changes while it lasts. */
export function mayFollow(from: WorkloadStatus, to: WorkloadStatus): boolean {
  const next: readonly string[] = WORKLOAD_STATUSES[from].next
  return from === to || next.includes(to)
}
