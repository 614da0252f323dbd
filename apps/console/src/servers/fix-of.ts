import type { Workload } from '@toolhaven/contract/workloads'

/** The one thing that puts a server right. */
export type Fix =
  | { kind: 'log-in'; label: string; address: string }
  | { kind: 'review'; label: string }
  | { kind: 'store'; label: string; secret: string }
  | { kind: 'fill-in'; label: string; variable: string }
  | { kind: 'allow'; label: string }
  | { kind: 'restart'; label: string }

/** As the daemon begins it, and nobody else: words of a server come later in a reason. */
const NEEDS_LOGIN = 'needs login: '

/** What a server wrote stands behind it. */
const LAST_OUTPUT = '; its last output: '

export type Troubled = Pick<Workload, 'name' | 'status' | 'status_context'>

/** What needs a person: a server that does not work, or one that works otherwise than it was accepted. */
export function needsAttention(server: Troubled): boolean {
  const { status } = server
  return status === 'error' || status === 'unhealthy' || status === 'unknown' || hasChangedTools(server)
}

export function fixOf(server: Troubled): Fix | undefined {
  const { status, status_context: reason } = server
  const address = loginAddress(server)
  if (address !== undefined) return { kind: 'log-in', label: 'Log in', address }
  if (hasChangedTools(server)) return { kind: 'review', label: 'Review' }
  if (status === 'running' && / is not in allow_host(?:$|[;,])/.test(reason))
    return { kind: 'allow', label: 'Allow the host' }
  if (status !== 'error' && status !== 'unhealthy') return undefined
  const secret = /^secret ([\w.-]{1,60}) not found; create it first/.exec(reason)?.[1]
  if (secret !== undefined) return { kind: 'store', label: `Store ${secret}`, secret }
  const variable = missingVariable(reason)
  if (variable !== undefined) return { kind: 'fill-in', label: `Add ${variable}`, variable }
  return { kind: 'restart', label: 'Restart' }
}

/** The reason without what the server wrote, for where that is shown line by line. */
export function reasonAlone(reason: string): string {
  return reason.split(LAST_OUTPUT, 1)[0] ?? ''
}

/**
 * The variable that a server complained of before it ended. It chose these words, so that they lead to no more than a field
 * that a person fills in.
 */
function missingVariable(reason: string): string | undefined {
  const [, words] = reason.split(LAST_OUTPUT, 2)
  if (words === undefined || !/\b(?:set|missing|required?|provide|not found|undefined|needs?|must)\b/i.test(words))
    return undefined
  return /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/.exec(words)?.[0].slice(0, 60)
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
