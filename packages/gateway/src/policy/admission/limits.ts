import type { HttpRequest } from '../../http/server/exchange.ts'
import { Notes } from '../../http/server/notes.ts'
import type { HttpRefusal } from '../../http/server/reply.ts'
import { RPC_ERROR } from '../../messages/json-rpc.ts'
import type { Callers } from '../../oidc/caller.ts'
import { isKnownVersion } from '../../messages/protocol-versions.ts'
import type { Session } from '../../sessions/session.ts'
import type { Decision } from '../decisions/decision.ts'
import type { Gate } from './gate.ts'
import { TokenBucket } from './token-bucket.ts'

export interface LimitsOptions {
  maxMessageBytes: number
  /** For all clients together. Default: no limit. */
  requestsPerMinute?: number | undefined
  /** For each client. */
  clientRequestsPerMinute?: number | undefined
  sessions: KnownSessions
  /** The sender of a request, where the endpoint authenticates callers. */
  callers: Callers
  now?: (() => number) | undefined
}

/** The current sessions, by id. */
export interface KnownSessions {
  readonly size: number
  get(id: string): Pick<Session, 'front'> | undefined
}

export interface Limits extends Gate {
  /** Counts the rest of a batch once it is known. Empty where nothing is counted. */
  ofBatches: readonly Decision[]
  /** Counts a request without a valid token, by address. Requests of strangers do not use up the callers' limit. */
  countStranger(request: HttpRequest): HttpRefusal | undefined
  /** The caller was not a stranger after all. */
  uncountStranger(request: HttpRequest): void
}

/** More clients than any workload has sessions. A client beyond that number starts with a full bucket again. */
const MAX_CLIENTS = 10_000

/**
 * Refuses first by the announced length; a body that lies about its length is cut while it is read. Then by rate: a
 * body counts as one request before it is read, and each further request of a batch once it is known. Streams do not
 * count.
 */
export function limits(options: LimitsOptions): Limits {
  const {
    maxMessageBytes,
    requestsPerMinute,
    clientRequestsPerMinute,
    sessions,
    callers,
    now = performance.now.bind(performance),
  } = options
  const total = requestsPerMinute === undefined ? undefined : new TokenBucket(requestsPerMinute, now)
  const bucketOf = clientBuckets(now)
  const keyOf = (request: HttpRequest): string => {
    const caller = callers.get(request)
    // However many tokens and sessions a caller has, and however a token is written.
    if (caller !== undefined) return `caller ${caller.id}`
    return sessionKey(request, sessions) ?? `address ${request.socket.remoteAddress}`
  }
  /**
   * Undefined lets the request continue. The client's own limit comes first: what it is refused must not cost the
   * others.
   */
  const count = (request: HttpRequest): HttpRefusal | undefined => {
    const own = clientRequestsPerMinute === undefined ? undefined : bucketOf(keyOf(request), clientRequestsPerMinute)
    if (own && !own.take()) return tooMany('This client', clientRequestsPerMinute, own)
    if (total && !total.take()) return tooMany('The clients of this workload', requestsPerMinute, total)
    return undefined
  }
  const strangers = ({ socket }: HttpRequest) => {
    const perMinute = clientRequestsPerMinute ?? requestsPerMinute
    return perMinute === undefined
      ? undefined
      : { perMinute, bucket: bucketOf(`stranger ${socket.remoteAddress}`, perMinute) }
  }
  const isLimited = total !== undefined || clientRequestsPerMinute !== undefined
  return {
    name: 'limits',
    countStranger(request) {
      const counted = strangers(request)
      if (counted === undefined || counted.bucket.take()) return undefined
      return tooMany('Callers without a valid token', counted.perMinute, counted.bucket)
    },
    uncountStranger: (request) => strangers(request)?.bucket.giveBack(),
    admit(request): HttpRefusal | undefined {
      const length = Number(request.headers['content-length'] ?? 0)
      if (length > maxMessageBytes) return tooLarge(maxMessageBytes)
      return isLimited && request.method === 'POST' ? count(request) : undefined
    },
    ofBatches: isLimited ? [furtherRequests(count)] : [],
  }
}

/** The first request of a body was counted together with the body. */
function furtherRequests(count: (request: HttpRequest) => HttpRefusal | undefined): Decision {
  const begun = new Notes<true>()
  return {
    name: 'limits',
    fromClient(_request, { from, isTrial, isUnderWay }) {
      if (isTrial || isUnderWay) return undefined
      const isFurther = begun.get(from) === true
      begun.set(from, true)
      const refusal = isFurther ? count(from) : undefined
      return refusal && { code: RPC_ERROR.server, message: refusal.message }
    },
  }
}

function clientBuckets(now: () => number): (key: string, perMinute: number) => TokenBucket {
  const clients = new Map<string, TokenBucket>()
  return (key, perMinute) => {
    const bucket = clients.get(key) ?? new TokenBucket(perMinute, now)
    // Moved to the end: the first in the map is the client that was quiet longest.
    clients.delete(key)
    clients.set(key, bucket)
    const [oldest] = clients.keys()
    if (clients.size > MAX_CLIENTS && oldest !== undefined) clients.delete(oldest)
    return bucket
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
    message: `${who} may send ${perMinute} requests per minute. Try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) },
  }
}

/**
 * Without authentication, a client is its session. An id counts only where the request belongs to that session:
 * otherwise a client could make up ids, or send one that nobody checks, and be a new client each time.
 */
function sessionKey({ headers, url = '' }: HttpRequest, sessions: KnownSessions): string | undefined {
  const isSse = url.startsWith('/messages?')
  const id = isSse ? /[?&]sessionId=([^&]+)/.exec(url)?.[1] : headers['mcp-session-id']
  if (typeof id !== 'string' || sessions.get(id)?.front !== (isSse ? 'sse' : 'streamable-http')) return undefined
  const version = headers['mcp-protocol-version']
  // Stateless requests may carry the header all the same.
  return isSse || version === undefined || isKnownVersion(version) ? `session ${id}` : undefined
}
