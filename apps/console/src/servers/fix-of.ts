import type { Workload } from '@toolhaven/contract/workloads'

/** The one thing that puts a server right. */
export type Fix =
  | { kind: 'log-in'; label: string; address: string }
  | { kind: 'review'; label: string }
  | { kind: 'restart'; label: string }

/** As the daemon begins it, and nobody else: words of a server come later in a reason. */
const NEEDS_LOGIN = 'needs login: '

export type Troubled = Pick<Workload, 'name' | 'status' | 'status_context'>

/** What needs a person: a server that does not work, or one that works otherwise than it was accepted. */
export function needsAttention(server: Troubled): boolean {
  const { status } = server
  return status === 'error' || status === 'unhealthy' || status === 'unknown' || hasChangedTools(server)
}

export function fixOf(server: Troubled): Fix | undefined {
  const address = loginAddress(server)
  if (address !== undefined) return { kind: 'log-in', label: 'Log in', address }
  if (hasChangedTools(server)) return { kind: 'review', label: 'Review' }
  const { status } = server
  if (status === 'error' || status === 'unhealthy') return { kind: 'restart', label: 'Restart' }
  return undefined
}

/** Only what is surely an address, in the form that the parser gives it: others chose its text. */
function loginAddress({ status, status_context: reason }: Troubled): string | undefined {
  if (status !== 'error' || !reason.startsWith(NEEDS_LOGIN)) return undefined
  const word = reason.slice(NEEDS_LOGIN.length).split(' ', 1)[0] ?? ''
  if (!URL.canParse(word)) return undefined
  const { protocol, href } = new URL(word)
  return protocol === 'https:' || protocol === 'http:' ? href : undefined
}

/** The reason of a running server is the daemon's own; that of a failure ends with the server's last words. */
function hasChangedTools({ name, status, status_context: reason }: Troubled): boolean {
  if (status !== 'running') return false
  const starts = [
    `the tools of ${name} changed: `,
    `what ${name} offers changed: `,
    `the record of the accepted tools of ${name} `,
  ]
  return reason.split('; ').some((remark) => starts.some((start) => remark.startsWith(start)))
}
