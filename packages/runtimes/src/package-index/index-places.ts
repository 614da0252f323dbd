/**
 * The `host:port` of package indexes, each once. Leaves out what is not an address on the network, such as a folder.
 */
export function indexPlaces(addresses: readonly string[]): string[] {
  const places = addresses.flatMap((address) => {
    const url = URL.parse(address)
    if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return []
    return [`${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`]
  })
  return [...new Set(places)]
}

/** Whether an address contains a user name or a password. */
export function hasCredentials(address: string): boolean {
  // Proxies may be written without a scheme.
  return /:\/\/[^/\s]*@|(?:^|[\s=])[^/\s@:=]+:[^/\s@]+@/.test(address)
}
