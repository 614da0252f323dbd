import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { isLoopbackHost, parseHost } from '@toolhaven/core/guard/parse-host'

export interface RelayOptions {
  target: URL
  /** 0 picks a free port. */
  port: number
  allowPeer: (socket: Socket) => boolean
}

export interface Relay {
  port: number
  /** Accepts requests for this host as well from now on. */
  allowHost: (host: string) => void
  close: () => Promise<void>
}

const HOP_BY_HOP = /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|forwarded|proxy-.*|x-forwarded-.*)$/

/**
 * Passes requests on to the target under the target's own host name. Servers on this machine refuse other host names to
 * protect themselves against web pages. To keep that protection, the relay accepts only the host names it was given.
 */
export async function startRelay({ target, port, allowPeer }: RelayOptions): Promise<Relay> {
  const hosts = new Set<string>()
  const server = createServer((request, response) => {
    const host = parseHost(request.headers.host ?? '')
    const isKnown = host !== undefined && (isLoopbackHost(host.name) || hosts.has(host.name))
    if (!isKnown || !allowPeer(request.socket)) return void response.writeHead(403).end()
    pass(target, request, response)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port, exclusive: true }, resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return {
    port: address.port,
    allowHost: (host) => void hosts.add(parseHost(host)?.name ?? host),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function pass(target: URL, request: IncomingMessage, response: ServerResponse): void {
  const start = target.protocol === 'https:' ? httpsRequest : httpRequest
  const onward = start({
    protocol: target.protocol,
    hostname: target.hostname.replace(/^\[|\]$/g, ''),
    port: target.port,
    method: request.method,
    path: request.url,
    headers: { ...endToEnd(request), host: target.host },
  })
  onward.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, endToEnd(answer))
    response.flushHeaders()
    answer.pipe(response)
    // A response that breaks off must not look complete.
    answer.once('error', () => response.destroy())
  })
  onward.once('error', () => {
    if (response.headersSent) response.destroy()
    else response.writeHead(502, { 'content-type': 'text/plain' }).end('The server behind the tunnel does not answer.')
  })
  response.once('close', () => onward.destroy())
  request.pipe(onward)
}

function endToEnd({ headers }: IncomingMessage): Record<string, string | string[]> {
  const named = new Set((headers.connection ?? '').toLowerCase().split(/\s*,\s*/))
  const passed: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !HOP_BY_HOP.test(name) && !named.has(name)) passed[name] = value
  return passed
}
