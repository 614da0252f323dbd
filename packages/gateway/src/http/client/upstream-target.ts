import { setTimeout as pause } from 'node:timers/promises'
import type { Authorizer } from './authorizer.ts'
import type { UpstreamRequest } from './connections.ts'
import { UpstreamConnections } from './upstream-connections.ts'
import type { UpstreamResponse } from './upstream-response.ts'
import type { Vetting } from './vetted-lookup.ts'

/** A server may have a session for each of a thousand clients. */
const FAREWELLS_AT_ONCE = 16
/** For all of them together. A server forgets sessions that it no longer hears from. */
const FAREWELL_MS = 3000

interface RequestOptions {
  method: UpstreamRequest['method']
  headers: Readonly<Record<string, string>>
  body?: string
  /** The request does no harm if the server gets it twice. Default: true for everything but POST. */
  isRepeatable?: boolean
  /** Default: the server's main address. */
  url?: URL
  signal: AbortSignal
}

export interface TargetOptions extends Vetting {
  url: URL
  /** Sent with every request, whatever the client says. */
  headers?: Readonly<Record<string, string>> | undefined
  authorizer?: Authorizer | undefined
  /** Connections go to this unix socket, whatever the host and port of the address are. */
  socketPath?: string | undefined
  /** PEM text of a CA that the server's certificate may be signed with, besides the usual ones. */
  caCertificate?: string | undefined
}

/** Address of an HTTP server, with the connections kept to it. */
export class UpstreamTarget {
  url: URL
  readonly #options: TargetOptions
  readonly #connections: UpstreamConnections
  /** With names in lower case. */
  readonly #headers: ReadonlyMap<string, string>
  /** Names with dashes only. */
  readonly #names: ReadonlySet<string>
  /** Headers of the sessions that have to be ended. */
  readonly #toEnd: Readonly<Record<string, string>>[] = []
  readonly #ending = new Set<Promise<void>>()
  /** Whether the server lets clients end sessions, according to its last answer. */
  #endsSessions: boolean | undefined

  constructor(options: TargetOptions) {
    this.url = options.url
    this.#options = options
    this.#headers = new Map(
      Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const),
    )
    const { url, socketPath, publicOnly, ownAddresses, caCertificate } = options
    this.#names = new Set([...this.#headers.keys()].map(withDashes))
    this.#connections = new UpstreamConnections(url.origin, { socketPath, publicOnly, ownAddresses, caCertificate })
  }

  send(options: RequestOptions): Promise<UpstreamResponse> {
    const { authorizer } = this.#options
    return authorizer === undefined ? this.#follow(options) : this.#sendAs(authorizer, options)
  }

  async #sendAs(authorizer: Authorizer, options: RequestOptions): Promise<UpstreamResponse> {
    const used = await authorizer.header()
    const first = await this.#follow(withToken(options, used))
    if (first.status !== 401) return allowed(first, authorizer)
    first.discard()
    const second = await this.#follow(withToken(options, await authorizer.renew(used, challengeOf(first))))
    if (second.status !== 401) return allowed(second, authorizer)
    second.discard()
    throw await authorizer.refused(challengeOf(second))
  }

  /** Ends the session that these headers name at the server. */
  endSession(headers: Readonly<Record<string, string>>): void {
    this.#toEnd.push(headers)
    if (this.#ending.size >= FAREWELLS_AT_ONCE) return
    const ending = this.#endThem().finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }

  /**
   * Whether a session may be ended that could still be useful. One at a time, until it is known that the server allows
   * it.
   */
  get mayEndSession(): boolean {
    return this.#endsSessions ?? this.#ending.size === 0
  }

  /** Closes at once, unless sessions are still being ended. */
  async close(): Promise<void> {
    if (this.#ending.size > 0)
      await Promise.race([Promise.all(this.#ending), pause(FAREWELL_MS, undefined, { ref: false })])
    this.#toEnd.length = 0
    this.#connections.close()
  }

  async #endThem(): Promise<void> {
    for (let headers = this.#toEnd.shift(); headers !== undefined; headers = this.#toEnd.shift()) {
      const signal = AbortSignal.timeout(FAREWELL_MS)
      // A courtesy: nothing here depends on whether the server hears it.
      await this.send({ method: 'DELETE', headers, signal }).then(
        (response) => {
          this.#endsSessions = response.status !== 405 && response.status !== 501
          response.discard()
        },
        () => undefined,
      )
    }
  }

  async #follow(options: RequestOptions): Promise<UpstreamResponse> {
    const url = options.url ?? this.url
    const response = await this.#once(options, url)
    const moved = response.status === 307 || response.status === 308 ? response.headers.location : undefined
    if (moved === undefined || !URL.canParse(moved, url)) return response
    // Some frameworks redirect /mcp to /mcp/. A redirect to another origin is never followed.
    const next = new URL(moved, url)
    if (next.origin !== url.origin) return response
    response.discard()
    if (options.url === undefined) this.url = next
    return this.#once(options, next)
  }

  #once(
    { method, headers, body, signal, isRepeatable = method !== 'POST' }: RequestOptions,
    url: URL,
  ): Promise<UpstreamResponse> {
    const type = body === undefined ? undefined : { 'content-type': 'application/json' }
    return this.#connections.send({
      method,
      url,
      headers: { ...this.#withConfigured(headers), ...type },
      body,
      isRepeatable,
      signal,
    })
  }

  /** Some servers read `x_tenant` as `X-Tenant`: where one is configured, a client may send neither. */
  #withConfigured(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    if (this.#headers.size === 0) return headers
    const all: Record<string, string> = {}
    for (const [name, value] of Object.entries(headers)) {
      if (!this.#names.has(withDashes(name))) all[name] = value
    }
    return Object.assign(all, Object.fromEntries(this.#headers))
  }
}

const withDashes = (name: string) => name.toLowerCase().replaceAll('_', '-')

/** The response, unless it says that the login has too few rights and the login can get more. */
async function allowed(response: UpstreamResponse, authorizer: Authorizer): Promise<UpstreamResponse> {
  const problem = response.status === 403 ? await authorizer.forbidden(challengeOf(response)) : undefined
  if (problem === undefined) return response
  response.discard()
  throw problem
}

function withToken(options: RequestOptions, authorization: string | undefined): RequestOptions {
  return authorization === undefined ? options : { ...options, headers: { ...options.headers, authorization } }
}

function challengeOf(response: UpstreamResponse): string | undefined {
  const challenge = response.headers['www-authenticate']
  return Array.isArray(challenge) ? challenge.join(', ') : challenge
}
