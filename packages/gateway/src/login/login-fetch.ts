import { hostReach } from '@toolhaven/core/net/host-reach'
import type { LoginSpec } from '@toolhaven/core/ports/gateway'
import { unavailable } from '@toolhaven/core/errors'

/**
 * How a login reaches the addresses that servers name. The implementation vets each address it connects to, and limits
 * size and time.
 */
export type LoginFetch = (
  url: string,
  init?: {
    method?: string
    headers?: Record<string, string>
    body?: string | URLSearchParams
    redirect?: 'follow' | 'error' | 'manual'
    signal?: AbortSignal
  },
) => Promise<Response>

interface LoginFetchOptions {
  /** The remote server. */
  url: URL
  spec: LoginSpec
  fetchFor: (allowPrivate: boolean, caCertificate?: string) => LoginFetch
  /** See `Host`. */
  ownAddresses: () => readonly string[]
}

/**
 * Reaches private addresses that the user named: the server's own origin, and what is configured for its login. Other
 * private addresses that the server names, or that a redirect leads to, need the user's confirmation.
 */
export function loginFetch({ url, spec, ...options }: LoginFetchOptions): LoginFetch {
  const fetchFor = (allowPrivate: boolean) => options.fetchFor(allowPrivate, spec.caCertificate)
  if (spec.allowPrivateIp === true) return fetchFor(true)
  const strict = fetchFor(false)
  const own = options.ownAddresses
  if (!isPrivateHost(url, own())) return strict
  const named = [url.href, spec.issuer, spec.authorizeUrl, spec.tokenUrl].map((text) => originOf(text ?? ''))
  return async (text, init) => {
    if (named.includes(originOf(text))) return fetchFor(true)(text, { ...init, redirect: 'error' })
    const other = URL.parse(text)
    if (other !== null && isPrivateHost(other, own()))
      throw unavailable(
        `it names ${other.host}, a private address, for its login. Confirm it with accept_network: true (--accept-network)`,
      )
    return strict(text, init)
  }
}

const originOf = (text: string) => URL.parse(text)?.origin ?? ''

/** Whether it names an address of this machine or of a private network. */
export function isPrivateHost(url: URL, own: readonly string[]): boolean {
  return hostReach(url.hostname, own) === 'private'
}

/** An address that a server names, where a person or a token will be sent. */
export function endpointUrl(what: string, text: string | undefined, allowPrivate: boolean): URL {
  const url = text === undefined ? null : URL.parse(text)
  const isGood = url !== null && url.username === '' && url.password === '' && url.hash === ''
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && allowPrivate && isPrivateHost(url, []))
  if (!isGood || !isSafe) throw unavailable(`it names no usable ${what}: that must be an https address`)
  return url
}
