import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { RpcMessage, RpcRequest } from '../json-rpc.ts'
import { SocketAgent } from './socket-agent.ts'
import { checkHost, vettedLookup } from './vetted-lookup.ts'

/** One session at an HTTP server. */
export interface Upstream {
  readonly sessionId: string | undefined
  /** Said in a header once it is known. */
  version: string | undefined
  /** Delivers one message. For a request, its answer comes through `onMessage`. Rejects when it cannot be delivered. */
  send(text: string, request: RpcRequest | undefined, headers: Readonly<Record<string, string>>): Promise<void>
  /** Opens the way for messages that belong to no call, where that needs opening. */
  listen(): void
  /** Nobody waits for its answer any more. */
  abandon?(request: RpcRequest): void
  /** Ends the session at the server. */
  close(): void
  /** Lets go of it without ending it: it may be found again by its id. */
  leave(): void
}

export interface UpstreamOptions {
  target: UpstreamTarget
  maxMessageBytes: number
  onMessage: (message: RpcMessage, relatedTo: RpcRequest | undefined) => void
  /** Whether somebody still waits for the answer. */
  isAwaited: (request: RpcRequest) => boolean
  /** The server closed the stream of a call and has its client come back for the answer, after so long if it said so. */
  onPaused?: (request: RpcRequest, retryMs: number | undefined) => void
  /** The session at the server is no more. Not called after `close`. */
  onEnded: (reason: string) => void
}

/** The server does not know the session (any more). */
export class SessionGone extends Error {}

/** The server answered with a status that is no answer. */
export class Refused extends Error {
  readonly status: number

  constructor(response: IncomingMessage) {
    super(`the server answered with status ${response.statusCode}`)
    this.status = response.statusCode ?? 0
  }
}

/** Gives requests the token the server wants. */
export interface Authorizer {
  /** The Authorization header for a request now; undefined: none. */
  header(): Promise<string | undefined>
  /** The server refused what was sent: another header to try once. Throws when only a person can help. */
  renew(used: string | undefined, challenge: string | undefined): Promise<string | undefined>
  /** It refused the new one as well: the error that says so. */
  refused(challenge: string | undefined): Promise<Error>
  /** It forbids what was asked: the error when a login with more rights would help, else undefined. */
  forbidden(challenge: string | undefined): Promise<Error | undefined>
}

/** Address of an HTTP server, with the connections kept to it. */
export class UpstreamTarget {
  url: URL
  readonly #headers: Readonly<Record<string, string>>
  readonly #authorizer: Authorizer | undefined
  #agent: HttpAgent

  constructor(url: URL, headers: Readonly<Record<string, string>>, authorizer?: Authorizer) {
    this.url = url
    this.#headers = headers
    this.#authorizer = authorizer
    const options = { keepAlive: true, lookup: vettedLookup() }
    this.#agent = url.protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options)
  }

  /** Connections go to this unix socket, whatever the host and port of the address are. */
  useSocket(path: string): void {
    this.#agent = new SocketAgent(path)
  }

  async send(options: RequestOptions): Promise<IncomingMessage> {
    const authorizer = this.#authorizer
    if (authorizer === undefined) return this.#follow(options)
    const used = await authorizer.header()
    const first = await this.#follow(withToken(options, used))
    if (first.statusCode !== 401) return allowed(first, authorizer)
    first.resume()
    const second = await this.#follow(withToken(options, await authorizer.renew(used, challengeOf(first))))
    if (second.statusCode !== 401) return allowed(second, authorizer)
    second.resume()
    throw await authorizer.refused(challengeOf(second))
  }

  async #follow(options: RequestOptions): Promise<IncomingMessage> {
    const url = options.url ?? this.url
    const response = await this.#once({ ...options, url })
    const moved = response.statusCode === 307 || response.statusCode === 308 ? response.headers.location : undefined
    if (moved === undefined || !URL.canParse(moved, url)) return response
    // Some frameworks answer /mcp with a redirect to /mcp/. Another origin is never followed.
    const next = new URL(moved, url)
    if (next.origin !== url.origin) return response
    response.resume()
    if (options.url === undefined) this.url = next
    return this.#once({ ...options, url: next })
  }

  close(): void {
    this.#agent.destroy()
  }

  #once(options: RequestOptions & { url: URL }, isRetry = false): Promise<IncomingMessage> {
    checkHost(options.url)
    return new Promise((resolve, reject) => {
      const body = options.body === undefined ? undefined : Buffer.from(options.body)
      const start = options.url.protocol === 'https:' ? httpsRequest : httpRequest
      const request = start(options.url, {
        method: options.method,
        agent: this.#agent,
        signal: options.signal,
        headers: {
          ...options.headers,
          ...this.#headers,
          ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
        },
      })
      request.once('response', resolve)
      request.once('error', (error: NodeJS.ErrnoException) => {
        // A kept connection that the server closed at the same moment: nothing was handled, so once more.
        if (request.reusedSocket && error.code === 'ECONNRESET' && !isRetry) resolve(this.#once(options, true))
        else reject(error)
      })
      request.end(body)
    })
  }
}

/** The response, unless it says that the login has too few rights and there is a way to more. */
async function allowed(response: IncomingMessage, authorizer: Authorizer): Promise<IncomingMessage> {
  const problem = response.statusCode === 403 ? await authorizer.forbidden(challengeOf(response)) : undefined
  if (problem === undefined) return response
  response.resume()
  throw problem
}

function withToken(options: RequestOptions, authorization: string | undefined): RequestOptions {
  return authorization === undefined ? options : { ...options, headers: { ...options.headers, authorization } }
}

function challengeOf(response: IncomingMessage): string | undefined {
  return response.headers['www-authenticate']
}

interface RequestOptions {
  method: 'GET' | 'POST' | 'DELETE'
  headers: Readonly<Record<string, string>>
  body?: string
  /** Left out: the server's main address. */
  url?: URL
  signal: AbortSignal
}

/** The connection could not even be made: nothing was handled. */
export function isNotReached(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ECONNREFUSED' ||
      error.code === 'ENOENT' ||
      error.code === 'EHOSTUNREACH' ||
      error.code === 'ENOTFOUND')
  )
}

/** Body text up to the limit. */
export async function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > maxBytes) throw new Error(`the answer is over the limit of ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
