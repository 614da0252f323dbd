import type { RunConfig } from '@toolhaven/contract/run-config'
import { invalid } from '../../errors.ts'
import type { IsolatedSpec } from '../../ports/gateway.ts'
import type { StoredWorkload } from '../../ports/stores.ts'

/** Each of them is a process or a container: a handful fits on every machine. */
const DEFAULT_MAX_SESSIONS = 10
/** For people who read an answer before they ask again. */
const DEFAULT_IDLE_SECONDS = 1800

type Mode = NonNullable<RunConfig['session_mode']>

/** How the clients of a workload share its server. HTTP servers have sessions of their own, which keep clients apart. */
export function sessionModeOf({ asked, config }: Pick<StoredWorkload, 'asked' | 'config'>): Mode {
  if (config.transport !== 'stdio') return 'shared'
  // Older versions kept an explicit "shared" in the request alone. What they had without a word becomes auto.
  return config.session_mode ?? asked.session_mode ?? 'auto'
}

/** Clients have servers that end with them: none of these outlives the daemon. */
export function hasOwnServers(stored: StoredWorkload): boolean {
  const mode = sessionModeOf(stored)
  return mode === 'isolated' || (mode === 'auto' && stored.needsOwnServers === true)
}

/** Limits of the servers that clients have to themselves. */
export function ownServersSpec({ limits = {} }: RunConfig): IsolatedSpec {
  return {
    maxSessions: limits.max_sessions ?? DEFAULT_MAX_SESSIONS,
    idleMs: (limits.session_idle_seconds ?? DEFAULT_IDLE_SECONDS) * 1000,
  }
}

export function checkSessionMode({ session_mode: mode, transport, remote_url: remote, limits = {} }: RunConfig): void {
  if (mode === 'isolated') {
    if (remote !== undefined)
      throw invalid('session_mode isolated is for servers that run here, and this one is remote; leave it out')
    if (transport !== 'stdio')
      throw invalid(
        `session_mode isolated is for stdio servers; a ${transport} server keeps sessions apart on its own: leave it out`,
      )
    return
  }
  if (transport !== 'stdio' || remote !== undefined) {
    if (limits.max_sessions === undefined) return
    throw invalid('limits.max_sessions is for stdio servers, which clients may have to themselves; leave it out')
  }
  const given = (['max_sessions', 'session_idle_seconds'] as const).filter((field) => limits[field] !== undefined)
  if (given.length === 0) return
  const fields = `limits.${given.join(', limits.')}`
  if (mode === 'shared')
    throw invalid(`${fields} needs session_mode auto or isolated, and this workload has shared; change one of them`)
}
