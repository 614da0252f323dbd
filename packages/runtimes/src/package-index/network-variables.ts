/** Variables that say how to reach the network: proxies and trusted certificates. */
export function isNetworkVariable(name: string): boolean {
  return NAMES.has(name.toUpperCase())
}

const NAMES = new Set([
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
])

/** Only those for proxies: certificates are files and have to be copied. */
export function proxyVariables(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && /^(https?|all|no)_proxy$/i.test(name)) found[name] = value
  return found
}

const LOOPBACK = 'localhost,127.0.0.1,::1'
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }
const SOCKS_PORT = '1080'

/**
 * The user's own proxies, for a fetch behind a gate: all variables in both spellings, and the proxies' addresses, which
 * the gate must allow. Undefined without proxies. Requests to this machine never go through a proxy, because a proxy may
 * reach more of this machine than the gate allows.
 */
export function ownProxies(
  env: Readonly<Record<string, string | undefined>>,
): { variables: Record<string, string>; places: string[] } | undefined {
  const valueOf = (name: string) => env[name] || env[name.toUpperCase()] || ''
  const proxies = ['http_proxy', 'https_proxy', 'all_proxy'].map((name) => [name, valueOf(name)] as const)
  const exempt = valueOf('no_proxy')
  if (exempt === '*' || proxies.every(([, value]) => value === '')) return undefined
  const all = [...proxies, ['no_proxy', exempt === '' ? LOOPBACK : `${exempt},${LOOPBACK}`] as const]
  return {
    variables: Object.fromEntries(
      all.flatMap(([name, value]) => [name, name.toUpperCase()].map((each) => [each, value])),
    ),
    places: proxyPlaces(proxies.map(([, value]) => value)),
  }
}

/** The `host:port` of proxies in the forms that settings use: an address, or a host and a port alone. */
export function proxyPlaces(proxies: readonly (string | null | undefined)[]): string[] {
  return proxies.flatMap((proxy) => {
    const url = proxy ? URL.parse(proxy.includes('://') ? proxy : `http://${proxy}`) : null
    return url?.hostname
      ? [`${url.hostname.toLowerCase()}:${url.port || (DEFAULT_PORTS[url.protocol] ?? SOCKS_PORT)}`]
      : []
  })
}
