import type { RunConfig } from '@toolhaven/contract/run-config'
import { invalid } from '../errors.ts'
import type { IsolatedSpec } from '../ports/gateway.ts'

/** Each of them is a process or a container: a handful fits on every machine. */
const DEFAULT_MAX_SESSIONS = 10
/** For people who read an answer before they ask again. */
const DEFAULT_IDLE_SECONDS = 1800

/** How client sessions get servers of their own; undefined where all share one. */
export function isolatedSpec({ session_mode: mode, limits = {} }: RunConfig): IsolatedSpec | undefined {
  if (mode !== 'isolated') return undefined
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
        `session_mode isolated is for stdio servers; a ${transport} server keeps sessions apart by itself: leave it out`,
      )
    return
  }
  const given = (['max_sessions', 'session_idle_seconds'] as const).filter((field) => limits[field] !== undefined)
  if (given.length > 0)
    throw invalid(`limits.${given.join(', limits.')} needs session_mode isolated; add that, or leave it out`)
}
