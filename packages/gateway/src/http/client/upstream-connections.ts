import { connectOverTcp } from './connect-over-tcp.ts'
import { connectToSocket } from './connect-to-socket.ts'
import type { Connections, UpstreamRequest } from './connections.ts'
import { PlainConnections } from './plain-connections.ts'
import type { UpstreamResponse } from './upstream-response.ts'
import { checkHost, type Vetting, vettedLookup } from './vetted-lookup.ts'

export interface ConnectionOptions extends Vetting {
  socketPath?: string | undefined
  caCertificate?: string | undefined
}

/** The kept connections to one HTTP server. */
export class UpstreamConnections {
  readonly #connections: Connections
  readonly #vetting: Vetting
  #last: { url: URL; path: string } | undefined

  constructor(origin: string, options: ConnectionOptions = {}) {
    this.#vetting = options
    this.#connections = connectionsTo(new URL(origin), options)
  }

  send(request: UpstreamRequest): Promise<UpstreamResponse> {
    try {
      return this.#connections.send(request, this.#pathOf(request.url))
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)))
    }
  }

  close(): void {
    this.#connections.close()
  }

  /** The path of a URL whose host may be asked. Most requests go where the last one went. */
  #pathOf(url: URL): string {
    if (this.#last?.url !== url) {
      checkHost(url, this.#vetting)
      this.#last = { url, path: `${url.pathname}${url.search}` }
    }
    return this.#last.path
  }
}

/** The code for TLS is loaded with the first server that needs it. */
class LazyConnections implements Connections {
  readonly #load: () => Promise<Connections>
  #loaded: Promise<Connections> | undefined

  constructor(load: () => Promise<Connections>) {
    this.#load = load
  }

  async send(request: UpstreamRequest, path: string): Promise<UpstreamResponse> {
    this.#loaded ??= this.#load()
    return (await this.#loaded).send(request, path)
  }

  close(): void {
    this.#loaded ??= Promise.reject(new Error('the connections to this server are closed'))
    // Whoever sends a request learns why there are no connections.
    this.#loaded.then((connections) => connections.close()).catch(() => undefined)
  }
}

function connectionsTo(origin: URL, { socketPath, caCertificate, ...vetting }: ConnectionOptions): Connections {
  // A server at a unix socket is reached without TLS.
  if (socketPath !== undefined) return new PlainConnections(origin, (onread) => connectToSocket(socketPath, onread))
  const lookup = vettedLookup(vetting)
  if (origin.protocol === 'http:')
    return new PlainConnections(origin, (onread) => connectOverTcp(origin, onread, lookup))
  return new LazyConnections(async () => {
    const { secureConnections } = await import('./secure-connections.ts')
    return secureConnections(origin, { lookup, caCertificate })
  })
}
