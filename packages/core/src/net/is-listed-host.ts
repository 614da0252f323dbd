/** Whether a list of hosts names this one: exactly, or by a wildcard (`*.example.com`, `.example.com`) for what is below it. */
export function isListedHost(allowHost: readonly string[], host: string): boolean {
  return allowHost.some((entry) => {
    const wanted = entry.toLowerCase()
    if (wanted.startsWith('*.')) return host.endsWith(wanted.slice(1)) && host.length > wanted.length - 1
    if (wanted.startsWith('.')) return host.endsWith(wanted) && host.length > wanted.length
    return host === wanted
  })
}
