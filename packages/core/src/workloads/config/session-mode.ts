import type { RunConfig } from '@toolhaven/contract/run-config'
import { invalid } from '../../errors.ts'
import type { IsolatedSpec } from '../../ports/gateway.ts'
import type { StoredWorkload } from '../../ports/stores.ts'

/** Each is a process or a container, so the default is a number that fits on every machine. */
const DEFAULT_MAX_SESSIONS = 10
/** Long enough for people who read an answer before their next request. */
const DEFAULT_IDLE_SECONDS = 1800

type Mode = NonNullable<RunConfig['session_mode']>

/** How the clients of a workload share its server. HTTP servers have sessions of their own, which keep clients apart. */
export function sessionModeOf({ asked, config }: Pick<StoredWorkload, 'asked' | 'config'>): Mode {
  if (config.transport !== 'stdio') return 'shared'
  // Older versions stored an explicit "shared" only in the request. Workloads without it become auto.
  return config.session_mode ?? asked.session_mode ?? 'auto'
}

/** Each client has its own server, which ends with it and does not outlive the daemon. */
export function hasOwnServers(stored: StoredWorkload): boolean {
  const mode = sessionModeOf(stored)
  return mode === 'isolated' || (mode === 'auto' && stored.needsOwnServers === true)
}

/** Limits for the clients' own servers. */
export function ownServersSpec({ limits = {} }: RunConfig): IsolatedSpec {
  return {
    maxSessions: limits.max_sessions ?? DEFAULT_MAX_SESSIONS,
    idleMs: (limits.session_idle_seconds ?? DEFAULT_IDLE_SECONDS) * 1000,
  }
}

export function checkSessionMode({ session_mode: mode, transport, remote_url: remote, limits = {} }: RunConfig): void {
  if (mode === 'isolated') {
    if (remote !== undefined)
      throw invalid('session_mode isolated is only for servers that run here, and this one is remote; remove it')
    if (transport !== 'stdio')
      throw invalid(
        `session_mode isolated is only for stdio servers, because a ${transport} server separates sessions itself; remove it`,
      )
    return
  }
  if (transport !== 'stdio' || remote !== undefined) {
    if (limits.max_sessions === undefined) return
    throw invalid('limits.max_sessions is only for stdio servers; remove it')
  }
  const given = (['max_sessions', 'session_idle_seconds'] as const).filter((field) => limits[field] !== undefined)
  if (given.length === 0) return
  const fields = `limits.${given.join(', limits.')}`
  if (mode === 'shared')
    throw invalid(`${fields} needs session_mode auto or isolated, and this workload has shared; change one of them`)
}
