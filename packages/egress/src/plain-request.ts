import { type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Destination } from './outbound-policy.ts'
import { readAbsoluteForm, readAuthority } from './read-destination.ts'

/** Headers for the next hop or the proxy only. */
const NOT_PASSED_ON = new Set(['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'])

/**
 * Forwarded even if `Connection` lists them. Without them, the next hop could read a body as another request or send the request
 * to another site.
 */
const ALWAYS_PASSED_ON = new Set(['content-length', 'host'])

export type PlainTarget = Destination & { path: string }

/** The destination of a plain request to the proxy, or a text with what is wrong with it. */
export function readTarget(request: IncomingMessage): PlainTarget | string {
  const target = readAbsoluteForm(request.url ?? '')
  if (target === undefined) return 'a proxy request names its target as http://HOST[:PORT]/PATH'
  return faultOf(request, target) ?? target
}

/** The same for a request that did not use the proxy, because the program dialled the destination. */
export function readDirectTarget(request: IncomingMessage, place: Destination): PlainTarget | string {
  const path = request.url ?? ''
  if (!/^\/[^\s#]*$/.test(path)) return 'a request names its target by its path'
  return faultOf(request, place) ?? { ...place, path }
}

function faultOf(request: IncomingMessage, target: Destination): string | undefined {
  if (request.headers.upgrade !== undefined) return 'a plain request cannot be upgraded; use CONNECT'
  const coding = request.headers['transfer-encoding']
  if (coding !== undefined && coding !== 'chunked') return 'the only transfer coding is chunked'
  const hosts = request.headersDistinct['host'] ?? []
  const [host = ''] = hosts
  const named = readAuthority(/:\d+$/.test(host) ? host : `${host}:80`)
  if (hosts.length !== 1 || named?.host !== target.host || named.port !== target.port)
    return 'the Host header and the target differ'
  return undefined
}

/** Sends the request over the given connection, and returns the answer. */
export function passOn(request: IncomingMessage, response: ServerResponse, target: PlainTarget, remote: Socket): void {
  const outgoing = httpRequest({
    method: request.method ?? 'GET',
    path: target.path,
    headers: [...endToEnd(request.rawHeaders), ...framing(request)],
    setHost: false,
    // Do not pass an agent, not even `false`: with one, Node would open its own connection.
    createConnection: () => remote,
  })
  const fail = () => {
    remote.destroy()
    if (response.headersSent) response.destroy()
    else response.writeHead(502, { connection: 'close' }).end()
  }
  outgoing.once('error', fail)
  outgoing.once('response', (incoming) => {
    response.writeHead(incoming.statusCode ?? 502, endToEnd(incoming.rawHeaders))
    incoming.once('error', fail)
    incoming.pipe(response)
  })
  response.once('close', () => remote.destroy())
  request.once('error', fail)
  request.pipe(outgoing)
}

/** Node frames the body of a GET or a DELETE only on request. */
function framing({ headers }: IncomingMessage): string[] {
  return headers['transfer-encoding'] === undefined ? [] : ['Transfer-Encoding', 'chunked']
}

function endToEnd(raw: readonly string[]): string[] {
  const pairs = Array.from({ length: raw.length / 2 }, (_, at) => [raw[2 * at] ?? '', raw[2 * at + 1] ?? ''] as const)
  const named = new Set(
    pairs
      .filter(([name]) => name.toLowerCase() === 'connection')
      .flatMap(([, value]) =>
        value
          .toLowerCase()
          .split(',')
          .map((each) => each.trim()),
      ),
  )
  return pairs
    .filter(([name]) => {
      const lower = name.toLowerCase()
      if (ALWAYS_PASSED_ON.has(lower)) return true
      return !NOT_PASSED_ON.has(lower) && !named.has(lower) && !lower.startsWith('proxy-')
    })
    .flat()
}
