import type { IncomingHttpHeaders } from 'node:http'

/** Meant for the next hop, set by the gateway itself, or browser headers that say nothing about the server's caller. */
const NOT_PASSED_ON = new Set([
  'accept',
  'accept-encoding',
  // Meant for the gateway: a token for the gateway must never be used at another server.
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'origin',
  'referer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Servers trust these as the word of a proxy: who and where the caller is, and which address or method was requested.
 * There is no such proxy in front of the gateway, so they would be the client's own claims.
 */
const OF_PROXIES = [
  'cf-connecting-ip',
  'client-ip',
  'fastly-client-ip',
  'remote-addr',
  'remote-user',
  'true-client-ip',
  'via',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-host',
  'x-http-host-override',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-real-ip',
  'x-rewrite-url',
]
/** Prefixes of further such headers. */
const OF_PROXIES_FROM = [
  'forwarded',
  'proxy-',
  'x-auth-request-',
  'x-authenticated-',
  'x-envoy-',
  'x-forwarded',
  'x-original-',
  'x-remote-',
  'x-ssl-client-',
]
const IS_OF_PROXY = new RegExp(`^(?:(?:${OF_PROXIES.join('|')})$|${OF_PROXIES_FROM.join('|')})`)

/**
 * These describe the body, or ask for a part of an answer. The gateway writes the body again and reads every answer
 * completely. What a server has to know about them, the gateway says itself.
 */
const IS_OF_MESSAGE = /^(?:content-|if-|mcp-(?:method|name|param-)|(?:range|digest|repr-digest)$)/
const PARAM = 'mcp-param-'

/**
 * Headers of a client's request that an HTTP server behind the gateway gets. `hasParams`: client and server both know
 * parameters in headers. Those of known tools were checked; others have to be passed on.
 */
export function endToEndHeaders(headers: IncomingHttpHeaders, hasParams = false): Record<string, string> {
  const named = namedIn(headers.connection)
  const passed: Record<string, string> = {}
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    // Some servers read an underscore as a dash.
    const taken = name.includes('_') ? name.replaceAll('_', '-') : name
    if (NOT_PASSED_ON.has(taken) || named?.has(name) === true || value === undefined) continue
    if (taken.startsWith('sec-') || IS_OF_PROXY.test(taken)) continue
    if (IS_OF_MESSAGE.test(taken) && !(hasParams && name.startsWith(PARAM))) continue
    passed[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return passed
}

/** Headers that are for the next hop only because the client says so. */
function namedIn(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || connection === 'keep-alive') return undefined
  return new Set(
    connection
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  )
}
