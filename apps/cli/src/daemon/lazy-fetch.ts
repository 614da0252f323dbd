import type { GuardedFetch, GuardedFetchOptions } from '@toolhaven/stores/net/guarded-fetch'

type Env = Readonly<Record<string, string | undefined>>

const IDENTITY_LIMITS = { maxBytes: 1024 * 1024, timeoutMs: 10_000 }

/** Loads the HTTP client on the first fetch. */
export function lazyFetch(options: GuardedFetchOptions): GuardedFetch {
  let made: Promise<GuardedFetch> | undefined
  const make = async () => {
    const { createGuardedFetch } = await import('@toolhaven/stores/net/guarded-fetch')
    return createGuardedFetch(options)
  }
  return async (url, init) => (await (made ??= make()))(url, init)
}

/** For identity providers: on public addresses, or on private ones too. */
export function identityFetches(
  env: Env,
  ownAddresses: () => readonly string[],
): (allowPrivate: boolean, caCertificate?: string) => GuardedFetch {
  const open = { ...IDENTITY_LIMITS, allowPrivate: true, proxy: proxyOf(env) }
  const strict = { ...IDENTITY_LIMITS, allowPrivate: false, ownAddresses }
  const usual = { open: lazyFetch(open), strict: lazyFetch(strict) }
  return (allowPrivate, caCertificate) => {
    if (caCertificate === undefined) return allowPrivate ? usual.open : usual.strict
    return lazyFetch({ ...(allowPrivate ? open : strict), caCertificates: [caCertificate] })
  }
}

export function proxyOf(env: Env) {
  const http = env['HTTP_PROXY'] ?? env['http_proxy']
  const https = env['HTTPS_PROXY'] ?? env['https_proxy']
  const except = env['NO_PROXY'] ?? env['no_proxy']
  return { ...(http && { http }), ...(https && { https }), ...(except && { except }) }
}
