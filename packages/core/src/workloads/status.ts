import type { WorkloadStatus } from '@toolhaven/contract/workload-status'
import type { Progress } from '../ports/runtime.ts'
import type { StoredWorkload } from '../ports/stores.ts'
import { isUnhealthy, type Observed } from './observed.ts'

export interface StatusReport {
  status: WorkloadStatus
  context: string
}

/** Status is never typed in: it follows from what is wanted and what is observed. */
export function deriveStatus(stored: StoredWorkload, observed: Observed): StatusReport {
  if (stored.wanted === 'absent') return { status: 'removing', context: observed.failure?.message ?? '' }
  if (stored.wanted === 'stopped') return stoppedStatus(observed)
  if (isUnhealthy(observed)) return { status: 'unhealthy', context: 'the server no longer answers and is restarted' }
  if (observed.runtimeDown !== undefined) return { status: 'unknown', context: observed.runtimeDown }
  if (observed.connected && observed.instanceGeneration === stored.generation) {
    return { status: 'running', context: observed.blocked ?? profileRemark(stored) }
  }
  if (observed.failure?.isError) return { status: 'error', context: withBlocked(observed.failure.message, observed) }
  return { status: 'starting', context: startingContext(observed) }
}

function stoppedStatus(observed: Observed): StatusReport {
  const isDown = !observed.connected && !observed.open && observed.isComing !== true
  if (isDown && observed.instance === 'absent') return { status: 'stopped', context: '' }
  if (observed.runtimeDown !== undefined) return { status: 'unknown', context: observed.runtimeDown }
  if (isDown && observed.instance === 'unknown' && observed.handle === undefined)
    return { status: 'stopped', context: '' }
  return { status: 'stopping', context: observed.failure?.message ?? '' }
}

function startingContext(observed: Observed): string {
  if (observed.progress) return describeProgress(observed.progress)
  return observed.failure ? `${withBlocked(observed.failure.message, observed)}; trying again` : ''
}

/** Very often the reason of the failure; said once. */
function withBlocked(message: string, { blocked }: Observed): string {
  return blocked === undefined || message.includes(blocked) ? message : `${message}; ${blocked}`
}

const PHASES: Record<Progress['phase'], string> = {
  resolving: 'looking up the version of',
  pulling: 'pulling',
  building: 'building',
  fetching: 'fetching',
  starting: 'starting the server',
  connecting: 'waiting for the server to answer',
}

export function describeProgress(progress: Progress): string {
  const what = progress.detail ? `${PHASES[progress.phase]} ${progress.detail}` : PHASES[progress.phase]
  if (!progress.total || progress.done === undefined) return what
  return `${what}, ${Math.min(100, Math.floor((100 * progress.done) / progress.total))} %`
}

/** What a user should know of a running workload's permissions. */
function profileRemark(stored: StoredWorkload): string {
  const profile = stored.config.permission_profile
  if (!profile || stored.config.remote_url) return ''
  if (stored.profileOrigin === 'default' && !stored.config.isolate_network)
    return 'no permission profile was given: the built-in "network" applies, all outbound traffic is allowed'
  return ''
}
