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
  'forwarded',
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

/** Headers of a client's request that an HTTP server behind the gateway gets to see. */
export function endToEndHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const named = namedIn(headers.connection)
  const passed: Record<string, string> = {}
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (NOT_PASSED_ON.has(name) || named?.has(name) === true || value === undefined) continue
    if (name.startsWith('sec-') || name.startsWith('proxy-') || name.startsWith('x-forwarded-')) continue
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
