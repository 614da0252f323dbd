import type { IncomingHttpHeaders } from 'node:http'

/** Meant for the next hop, or said by the gateway itself, or a browser's that say nothing about the caller of the server. */
const NOT_PASSED_ON = new Set([
  'accept',
  'accept-encoding',
  // Meant for the gateway: a token that was given to us must never be used at another server.
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
 * Servers take these for the word of a proxy: who the caller is, where it is, and which address or method was really asked for.
 * No such proxy is in front of us, so that they would be the client's own claims.
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
/** And all whose names begin like this. */
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
 * These say what the body is, or which part of an answer is wanted. The gateway writes the body again, and reads all of each answer.
 * What a server is to know of them, the gateway says itself.
 */
const IS_OF_MESSAGE = /^(?:content-|if-|mcp-(?:method|name|param-)|(?:range|digest|repr-digest)$)/
const PARAM = 'mcp-param-'

/**
 * Headers of a client's request that an HTTP server behind the gateway gets to see. `hasParams`: client and server both know
 * parameters in headers. Those of the tools we know were checked; others must be passed on.
 */
export function endToEndHeaders(headers: IncomingHttpHeaders, hasParams = false): Record<string, string> {
  const named = namedIn(headers.connection)
  const passed: Record<string, string> = {}
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    // Some servers take an underscore for a dash.
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
