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

/** Only those of proxies: certificates are files and must be brought along. */
export function proxyVariables(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && /^(https?|all|no)_proxy$/i.test(name)) found[name] = value
  return found
}
