import { type ListedHost, parseListedHost } from '@toolhaven/contract/listed-host'

/** Whether a list of hosts names this host, with any port. */
export function isListedHost(allowHost: readonly string[], host: string): boolean {
  return entriesFor(allowHost, host).length > 0
}

/** The entries that match a host: exactly, or through a wildcard (`*.example.com`, `.example.com`) for the names below it. */
export function entriesFor(allowHost: readonly string[], host: string): ListedHost[] {
  return allowHost.flatMap((entry) => {
    const listed = parseListedHost(entry)
    return listed !== undefined && isNamedBy(listed, host) ? [listed] : []
  })
}

export function isWildcard({ host }: ListedHost): boolean {
  return host.startsWith('.') || host.startsWith('*.')
}

function isNamedBy(listed: ListedHost, host: string): boolean {
  if (isWildcard(listed)) {
    const suffix = listed.host.replace(/^\*/, '')
    return host.endsWith(suffix) && host.length > suffix.length
  }
  return host === listed.host || (listed.host === 'localhost' && (host === '127.0.0.1' || host === '::1'))
}
