import type { AuthenticationSpec } from '@toolhaven/core/ports/gateway'
import type { IdentityFetch } from './identity-fetch.ts'

/**
 * Sends the configured token when it fetches keys. The token goes only to the origins that the configuration names: a
 * provider's metadata may name others, and a redirect may lead to them.
 */
export function withAuthToken(fetch: IdentityFetch, spec: AuthenticationSpec): IdentityFetch {
  const { authToken, issuer, jwksUrl } = spec
  if (authToken === undefined) return fetch
  const named = new Set([issuer, jwksUrl].map((text) => URL.parse(text ?? '')?.origin))
  return (url, init) => {
    const headers = new Headers(init?.headers)
    const origin = URL.parse(url)?.origin
    if (origin === undefined || !named.has(origin) || headers.has('authorization')) return fetch(url, init)
    headers.set('authorization', `Bearer ${authToken}`)
    return fetch(url, { ...init, headers, redirect: 'error' })
  }
}
