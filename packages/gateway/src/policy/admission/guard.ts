import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { checkRequest } from '@toolhaven/core/guard/check-request'
import type { HttpRequest } from '../../http/server/exchange.ts'
import type { HttpRefusal } from '../../http/server/reply.ts'
import type { Gate } from './gate.ts'

export interface GuardOptions {
  allowedHosts: () => readonly string[]
  allowPeer: (socket: Socket) => boolean
}

/** Keeps web pages and other users of the machine out, on every path. */
export function guard(options: GuardOptions): Gate {
  const peers = new WeakMap<Socket, boolean>()
  const isAllowedPeer = (socket: Socket) => {
    const known = peers.get(socket)
    if (known !== undefined) return known
    const isAllowed = options.allowPeer(socket)
    peers.set(socket, isAllowed)
    return isAllowed
  }
  let passed: { key: string; allowedHosts: readonly string[] } | undefined
  return {
    name: 'guard',
    admit(request): HttpRefusal | undefined {
      if (!isAllowedPeer(request.socket))
        return { status: 403, message: 'This port belongs to another user of the machine.' }
      const { headers } = request
      const host = hostHeaders(request)
      const allowedHosts = options.allowedHosts()
      const isPlain = headers.origin === undefined && headers['sec-fetch-site'] === undefined
      const key = isPlain && host.length === 1 ? `${host[0]} ${headers['content-type']}` : undefined
      // The requests of a client have the same headers: what was admitted once needs no second look.
      if (key !== undefined && key === passed?.key && allowedHosts === passed.allowedHosts) return undefined
      const verdict = checkRequest(
        {
          method: request.method ?? '',
          host,
          origin: headers.origin,
          secFetchSite: single(headers['sec-fetch-site']),
          contentType: headers['content-type'],
          hasBody: hasBody(headers),
        },
        { allowedHosts },
      )
      if (!verdict.ok) return { status: verdict.status, message: verdict.message }
      // Without a body its type was not checked.
      if (key !== undefined && hasBody(headers)) passed = { key, allowedHosts }
      return undefined
    },
  }
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Node keeps the first of several Host headers and hides the others. */
function hostHeaders(request: HttpRequest): string[] {
  const { rawHeaders } = request
  const found: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') found.push(rawHeaders[at + 1] ?? '')
  }
  return found
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}
