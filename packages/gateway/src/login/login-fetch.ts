import { addressReach } from '@toolhaven/core/net/address-reach'
import { unavailable } from '@toolhaven/core/errors'

/** How a login reaches the addresses that servers name. Whoever gives it vets what is dialled, and caps size and time. */
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

/** A server on this machine or a private network, named as such, may send us to its neighbours; a public one may not. */
export function isPrivateHost(url: URL): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || host.endsWith('.localhost') || addressReach(host) === 'private'
}

/** An address that a server names, where a person or a token is to be sent. */
export function endpointUrl(what: string, text: string | undefined, allowPrivate: boolean): URL {
  const url = text === undefined ? null : URL.parse(text)
  const isGood = url !== null && url.username === '' && url.password === '' && url.hash === ''
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && allowPrivate && isPrivateHost(url))
  if (!isGood || !isSafe) throw unavailable(`it names no usable ${what}: that must be an https address`)
  return url
}
