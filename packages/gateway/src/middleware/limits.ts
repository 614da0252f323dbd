import type { HttpRequest } from '../http/exchange.ts'
import { Notes } from '../http/notes.ts'
import type { HttpRefusal } from '../http/reply.ts'
import { RPC_ERROR, type RpcRequest } from '../json-rpc.ts'
import type { Asker, Middleware, Refusal } from './middleware.ts'
import { TokenBucket } from './token-bucket.ts'

export interface LimitsOptions {
  maxMessageBytes: number
  /** Of all clients together; left out: as many as they like. */
  requestsPerMinute?: number | undefined
  /** Of each client. */
  clientRequestsPerMinute?: number | undefined
  now?: (() => number) | undefined
}

/** More clients than any workload has sessions; whoever comes after them starts with a full bucket again. */
const MAX_CLIENTS = 10_000

/**
 * Refuses by the announced length; a body that lies about it is cut while it is read. Then by how often: a body counts as
 * one before it is read, and each further request of a batch once it is known. Streams do not count.
 */
export function limits(options: LimitsOptions): Middleware {
  const {
    maxMessageBytes,
    requestsPerMinute,
    clientRequestsPerMinute,
    now = performance.now.bind(performance),
  } = options
  const total = requestsPerMinute === undefined ? undefined : new TokenBucket(requestsPerMinute, now)
  const clients = new Map<string, TokenBucket>()
  const bucketOf = (request: HttpRequest, perMinute: number) => {
    const key = clientKey(request)
    const bucket = clients.get(key) ?? new TokenBucket(perMinute, now)
    // Moved to the end: the first in the map is the one that was quiet longest.
    clients.delete(key)
    clients.set(key, bucket)
    const [oldest] = clients.keys()
    if (clients.size > MAX_CLIENTS && oldest !== undefined) clients.delete(oldest)
    return bucket
  }
  /** Undefined lets it go on. The client's own first: what it is refused must not cost the others. */
  const count = (request: HttpRequest): HttpRefusal | undefined => {
    const own = clientRequestsPerMinute === undefined ? undefined : bucketOf(request, clientRequestsPerMinute)
    if (own && !own.take()) return tooMany('This client', clientRequestsPerMinute, own)
    if (total && !total.take()) return tooMany('The clients of this workload', requestsPerMinute, total)
    return undefined
  }
  const isLimited = total !== undefined || clientRequestsPerMinute !== undefined
  const begun = new Notes<true>()
  return {
    name: 'limits',
    admit(request): HttpRefusal | undefined {
      const length = Number(request.headers['content-length'] ?? 0)
      if (length > maxMessageBytes) return tooLarge(maxMessageBytes)
      return isLimited && request.method === 'POST' ? count(request) : undefined
    },
    ...(isLimited && {
      fromClient(_request: RpcRequest, { from }: Asker): Refusal | undefined {
        const isFurther = begun.get(from) === true
        begun.set(from, true)
        const refusal = isFurther ? count(from) : undefined
        return refusal && { code: RPC_ERROR.server, message: refusal.message }
      },
    }),
  }
}

export function tooLarge(maxBytes: number): HttpRefusal {
  return {
    status: 413,
    message: `The message is over the limit of ${maxBytes} bytes.`,
    headers: { connection: 'close' },
  }
}

function tooMany(who: string, perMinute: number | undefined, bucket: TokenBucket): HttpRefusal {
  const seconds = Math.max(1, Math.ceil(bucket.waitMs() / 1000))
  return {
    status: 429,
    message: `${who} may send ${perMinute} requests per minute; try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) },
  }
}

/** A client is its session; those without one are told apart by their token, else by their address. */
function clientKey({ headers, url = '', socket }: HttpRequest): string {
  const session = headers['mcp-session-id'] ?? /[?&]sessionId=([^&]+)/.exec(url)?.[1]
  if (session !== undefined) return `session ${String(session).slice(0, 200)}`
  const token = headers.authorization
  return token === undefined ? `address ${socket.remoteAddress}` : `token ${token.slice(-200)}`
}
