import type { RunConfig } from '@toolhaven/contract/run-config'
import { invalid } from '../../errors.ts'

/** Toolhaven sends these with every request. A user's value would break sessions, streams or the request itself. */
const OURS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'last-event-id',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Some servers treat an underscore as a dash. */
function isOurs(header: string): boolean {
  const name = header.toLowerCase().replaceAll('_', '-')
  return OURS.has(name) || name.startsWith('mcp-')
}

export function checkHeaders({ remote_auth_config: auth }: RunConfig): void {
  const names = Object.keys({ ...auth?.headers, ...auth?.headers_from_secrets }).filter(isOurs)
  if (names.length === 0) return
  throw invalid(`headers: Toolhaven sets ${names.join(', ')} itself, as the protocol requires; remove it`)
}

/** For configurations that were stored before such headers were refused. They work without them. */
export function withoutOurs(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isOurs(name)))
}
