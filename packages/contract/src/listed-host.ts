/** An entry of `allow_host`. */
export interface ListedHost {
  /** A name in lower case, optionally after `*.` or `.`, or an address. IPv6 has no brackets and the URL standard's spelling. */
  host: string
  /** Without it, the ports of the profile apply. */
  port?: number
}

/**
 * Reads `name`, `name:port`, `*.name`, an IPv4 address with or without a port, an IPv6 address, or `[IPv6]:port`. Undefined when
 * it is none of these.
 */
export function parseListedHost(entry: string): ListedHost | undefined {
  const isBareIPv6 = !entry.startsWith('[') && entry.split(':').length > 2
  if (isBareIPv6) return listed(plainIPv6(entry), undefined)
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:[\]]+))(?::([1-9]\d{0,4}))?$/.exec(entry) ?? []
  return listed(bracketed === undefined ? plain?.toLowerCase() : plainIPv6(bracketed), digits)
}

function listed(host: string | undefined, digits: string | undefined): ListedHost | undefined {
  if (host === undefined) return undefined
  if (digits === undefined) return { host }
  const port = Number(digits)
  return port > 65_535 ? undefined : { host, port }
}

/** The canonical spelling, so that lists and destinations compare equal. Undefined for anything but an IPv6 address. */
export function plainIPv6(text: string): string | undefined {
  const hostname = URL.parse(`http://[${text}]/`)?.hostname
  return hostname?.startsWith('[') ? hostname.slice(1, -1) : undefined
}

/** The spelling for a list, or before a port. */
export function showHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

export function showPlace({ host, port }: { host: string; port: number }): string {
  return `${showHost(host)}:${port}`
}
