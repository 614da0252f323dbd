import { parseHost, isLoopbackHost, type HostAndPort } from './parse-host.ts'

/** The parts of a request that the guard checks. `host` is a list if the header was sent more than once. */
export interface GuardedRequest {
  method: string
  host: string | readonly string[] | undefined
  origin: string | undefined
  secFetchSite: string | undefined
  contentType?: string | undefined
  hasBody: boolean
}

export interface GuardPolicy {
  /** Names or addresses, with or without a port, that the Host header may hold besides loopback. */
  allowedHosts: readonly string[]
}

export type GuardVerdict = { ok: true } | { ok: false; status: 400 | 403; message: string }

/**
 * Keeps web pages away from a local port. It stops DNS rebinding (Host), cross-site requests (Origin, Sec-Fetch-Site) and the
 * "simple" requests that a page may send without a preflight (bodies that are not JSON).
 */
export function checkRequest(request: GuardedRequest, policy: GuardPolicy): GuardVerdict {
  return (
    checkHost(request.host, policy) ??
    checkOrigin(request.origin, policy) ??
    checkFetchSite(request.secFetchSite) ??
    checkBody(request) ?? { ok: true }
  )
}

function checkHost(header: GuardedRequest['host'], policy: GuardPolicy): GuardVerdict | undefined {
  const host = typeof header === 'string' ? header : header?.length === 1 ? header[0] : undefined
  const parsed = host === undefined ? undefined : parseHost(host)
  if (parsed === undefined)
    return refuse(400, 'The request must have exactly one Host header, with a name or address and an optional port.')
  if (isAllowed(parsed, policy)) return undefined
  return refuse(
    403,
    'This Host is not allowed; use localhost, 127.0.0.1 or [::1], or add the name to the allowed hosts.',
  )
}

function checkOrigin(origin: string | undefined, policy: GuardPolicy): GuardVerdict | undefined {
  if (origin === undefined) return undefined
  const authority = /^https?:\/\/(.*)$/i.exec(origin)?.[1]
  const parsed = authority === undefined ? undefined : parseHost(authority)
  if (parsed !== undefined && isAllowed(parsed, policy)) return undefined
  return refuse(403, 'Requests from this Origin are not allowed.')
}

function checkFetchSite(site: string | undefined): GuardVerdict | undefined {
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined
  return refuse(403, 'Requests from pages of another site are not allowed.')
}

/** A page can send text/plain or a form to any address without a preflight, but not JSON. */
function checkBody(request: GuardedRequest): GuardVerdict | undefined {
  if (!request.hasBody || isJson(request.contentType)) return undefined
  return refuse(400, 'The body must be JSON; send the header Content-Type: application/json.')
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false
  return /^application\/json[ \t]*(;[ \t]*charset[ \t]*=[ \t]*"?utf-?8"?[ \t]*)?;?[ \t]*$/i.test(contentType)
}

function isAllowed(host: HostAndPort, policy: GuardPolicy): boolean {
  if (isLoopbackHost(host.name)) return true
  return policy.allowedHosts.some((entry) => {
    const allowed = parseHost(entry)
    return (
      allowed !== undefined && allowed.name === host.name && (allowed.port === undefined || allowed.port === host.port)
    )
  })
}

function refuse(status: 400 | 403, message: string): GuardVerdict {
  return { ok: false, status, message }
}
