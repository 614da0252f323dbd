import type { WorkloadStatus } from '@toolhaven/contract/workload-status'
import type { Progress } from '../../ports/runtime.ts'
import type { StoredWorkload } from '../../ports/stores.ts'
import { MAX_FAILED_PINGS, type Observed } from './observed.ts'

export interface StatusReport {
  status: WorkloadStatus
  context: string
}

/** Status is never set. It is computed from wanted and observed. */
export function deriveStatus(stored: StoredWorkload, observed: Observed): StatusReport {
  if (stored.wanted === 'absent') return { status: 'removing', context: observed.failure?.message ?? '' }
  if (stored.wanted === 'stopped') return stoppedStatus(observed)
  // Also while it is being ended, which takes a while if it does not react.
  if (observed.failedPings >= MAX_FAILED_PINGS)
    return { status: 'unhealthy', context: 'the server no longer answers and is being restarted' }
  if (observed.runtimeDown !== undefined) return { status: 'unknown', context: observed.runtimeDown }
  if (observed.connected && observed.instanceGeneration === stored.generation) {
    const urgent = [
      isolationRemark(stored, observed),
      blockedRemark(stored, observed),
      toolsRemark(stored, observed),
    ].filter(Boolean)
    return { status: 'running', context: urgent.join('; ') || remarks(stored) }
  }
  if (observed.failure?.isError)
    return { status: 'error', context: withBlocked(stored, observed.failure.message, observed) }
  return { status: 'starting', context: startingContext(stored, observed) }
}

function stoppedStatus(observed: Observed): StatusReport {
  const isDown = !observed.connected && !observed.open && observed.isComing !== true
  if (isDown && observed.instance === 'absent') return { status: 'stopped', context: '' }
  if (observed.runtimeDown !== undefined) return { status: 'unknown', context: observed.runtimeDown }
  if (isDown && observed.instance === 'unknown' && observed.handle === undefined)
    return { status: 'stopped', context: '' }
  return { status: 'stopping', context: observed.failure?.message ?? '' }
}

function startingContext(stored: StoredWorkload, observed: Observed): string {
  if (observed.progress) return describeProgress(observed.progress)
  return observed.failure ? `${withBlocked(stored, observed.failure.message, observed)}; trying again` : ''
}

/** Often this is the reason of the failure, so it appears only once. */
function withBlocked(stored: StoredWorkload, message: string, observed: Observed): string {
  const isolation = isolationRemark(stored, observed)
  const whole = isolation === undefined ? message : `${message}; ${isolation}`
  const remark = blockedRemark(stored, observed)
  if (remark === undefined || observed.blocked === undefined) return whole
  return whole.includes(observed.blocked) ? whole.replace(observed.blocked, () => remark) : `${whole}; ${remark}`
}

/** Shown from the first start that isolates a stored workload until the workload is changed or restarted. */
function isolationRemark({ generation }: StoredWorkload, { isolatedSince }: Observed): string | undefined {
  if (isolatedSince !== generation) return undefined
  return 'now isolated from the network of this machine and reaches public hosts only; --network host (network_mode host) restores access'
}

/** With the command that fixes it, if a list can. */
function blockedRemark({ config }: StoredWorkload, { blocked }: Observed): string | undefined {
  // Port 443 carries only TLS, whatever is listed.
  const isListable = / is not in allow_(host|port)$|(?<!:443) is only reached with TLS$/
  if (blocked === undefined || !isListable.test(blocked)) return blocked
  return `${blocked}; "thv learn ${config.name}" shows a profile that allows it`
}

function toolsRemark({ config }: StoredWorkload, { toolsChanged }: Observed): string | undefined {
  if (toolsChanged === undefined) return undefined
  const until = config.tools_changed === 'block' ? '; changed and added ones are refused until they are accepted' : ''
  return `${toolsChanged}${until}; see "thv tools diff ${config.name}"`
}

const PHASES: Record<Progress['phase'], string> = {
  resolving: 'looking up the version of',
  verifying: 'checking the signature of',
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

function remarks(stored: StoredWorkload): string {
  return [verificationRemark(stored), profileRemark(stored)].filter((remark) => remark !== '').join('; ')
}

/** Only if the registry says who signs the image. Other images are not expected to be verified. */
function verificationRemark({ resolved }: StoredWorkload): string {
  const { outcome, detail } = resolved?.verification ?? {}
  if (outcome === undefined || outcome === 'verified' || outcome === 'no-provenance') return ''
  return `the image is not verified: ${detail}`
}

/** What a user should know about the permissions of a running workload. */
function profileRemark(stored: StoredWorkload): string {
  const profile = stored.config.permission_profile
  if (!profile || stored.config.remote_url) return ''
  if (stored.config.network_isolation_mode === 'observe')
    return `observed: every public host is allowed; "thv learn ${stored.config.name}" shows what it used`
  if (stored.config.network_mode === 'host')
    return 'it shares the network of this machine (network_mode host) and can reach every service on it'
  if (stored.profileOrigin === 'default' && !stored.config.isolate_network)
    return 'no permission profile was given: the built-in "network" applies, every public host is allowed'
  return ''
}
