import type { Workload } from '@toolhaven/contract/workloads'

/** The one thing that puts a server right. */
export type Fix =
  | { kind: 'log-in'; label: string; address: string }
  | { kind: 'review'; label: string }
  | { kind: 'restart'; label: string }

/** As packages/core/src/workloads/needs-login.ts writes it. */
const NEEDS_LOGIN = /needs login: .*?(https?:\/\/\S+)/

export type Troubled = Pick<Workload, 'status' | 'status_context'>

/** What needs a person: a server that does not work, or one that works otherwise than it was accepted. */
export function needsAttention({ status, status_context }: Troubled): boolean {
  if (status === 'error' || status === 'unhealthy' || status === 'unknown') return true
  return status !== 'stopped' && (NEEDS_LOGIN.test(status_context) || hasChangedTools(status_context))
}

export function fixOf({ status, status_context: reason }: Troubled): Fix | undefined {
  const address = NEEDS_LOGIN.exec(reason)?.[1]
  if (address !== undefined) return { kind: 'log-in', label: 'Log in', address }
  if (status !== 'stopped' && hasChangedTools(reason)) return { kind: 'review', label: 'Review' }
  if (status === 'error' || status === 'unhealthy') return { kind: 'restart', label: 'Restart' }
  return undefined
}

function hasChangedTools(reason: string): boolean {
  return /\b(?:the tools of|what) \S+ (?:offers )?changed: /.test(reason)
}
