const NPM_KEYS =
  /^(?:registry|strict-ssl|ignore-scripts|always-auth|proxy|https-proxy|noproxy|@[^:\s]+:registry|\/\/\S+:(?:_authToken|_auth|_password|username|email|always-auth))$/
const PIP_SECTIONS = /^\[(?:global|install)\]$/
const PIP_KEYS = /^(?:index-url|extra-index-url|trusted-host|timeout|default-timeout|retries|proxy|pre)$/

/**
 * What of an `.npmrc` means something inside a build: registries, credentials, proxies, whether scripts run. Paths of the host (prefix, cafile,
 * cache) are left out, and `${NAME}` is resolved, as npm would, from the environment given.
 */
export function npmrcForBuild(text: string, env: Readonly<Record<string, string | undefined>>): string {
  const kept = text.split(/\r?\n/).filter((line) => {
    const at = line.indexOf('=')
    return at > 0 && NPM_KEYS.test(line.slice(0, at).trim())
  })
  return kept
    .map((line) => `${line.replaceAll(/\$\{([A-Za-z0-9_]+)\}/g, (whole, name: string) => env[name] ?? whole)}\n`)
    .join('')
}

/** The same for pip's configuration: its indexes and how to reach them. */
export function pipConfForBuild(text: string): string {
  const kept: string[] = []
  let wanted = false
  let keeping = false
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:[#;].*)?$/.test(line)) continue
    if (line.startsWith('[')) {
      wanted = PIP_SECTIONS.test(line.trim())
      keeping = false
      if (wanted) kept.push(line.trim())
      continue
    }
    // An indented line goes on with the value before it.
    if (!/^\s/.test(line)) keeping = wanted && PIP_KEYS.test((line.split(/[=:]/)[0] ?? '').trim())
    if (keeping) kept.push(line)
  }
  return kept.map((line) => `${line}\n`).join('')
}
