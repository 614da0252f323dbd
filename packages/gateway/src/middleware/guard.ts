import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { checkRequest } from '@toolhaven/core/guard/check-request'
import type { HttpRefusal } from '../http/reply.ts'
import type { Middleware } from './middleware.ts'

export interface GuardOptions {
  allowedHosts: () => readonly string[]
  allowPeer: (socket: Socket) => boolean
}

/** Web pages and other users of the machine stay outside, on every path. */
export function guard(options: GuardOptions): Middleware {
  const peers = new WeakMap<Socket, boolean>()
  const isAllowedPeer = (socket: Socket) => {
    const known = peers.get(socket)
    if (known !== undefined) return known
    const isAllowed = options.allowPeer(socket)
    peers.set(socket, isAllowed)
    return isAllowed
  }
  return {
    name: 'guard',
    admit(request): HttpRefusal | undefined {
      if (!isAllowedPeer(request.socket))
        return { status: 403, message: 'This port belongs to another user of the machine.' }
      const { headers } = request
      const verdict = checkRequest(
        {
          method: request.method ?? '',
          host: hostHeaders(request),
          origin: headers.origin,
          secFetchSite: single(headers['sec-fetch-site']),
          contentType: headers['content-type'],
          hasBody: headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0,
        },
        { allowedHosts: options.allowedHosts() },
      )
      return verdict.ok ? undefined : { status: verdict.status, message: verdict.message }
    },
  }
}

/** Node keeps the first of several Host headers and hides the others. */
function hostHeaders(request: IncomingMessage): string[] {
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
