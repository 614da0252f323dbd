import type { Connections, UpstreamRequest } from './connections.ts'
import { PlainConnections } from './plain-connections.ts'
import type { SecureOptions } from './secure-connections.ts'
import type { UpstreamResponse } from './upstream-response.ts'
import { checkHost, type Vetting } from './vetted-lookup.ts'

/** The kept connections to one HTTP server. */
export class UpstreamConnections {
  readonly #connections: Connections
  readonly #vetting: Vetting
  #last: { url: URL; path: string } | undefined

  constructor(origin: string, options: SecureOptions = {}) {
    this.#vetting = options
    this.#connections = origin.startsWith('http:')
      ? new PlainConnections(new URL(origin), options.socketPath, options)
      : new LazyConnections(() => loadSecure(origin, options))
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

  /** Of a host that may be asked; most requests go where the last one went. */
  #pathOf(url: URL): string {
    if (this.#last?.url !== url) {
      checkHost(url, this.#vetting)
      this.#last = { url, path: `${url.pathname}${url.search}` }
    }
    return this.#last.path
  }
}

/** What TLS needs is loaded with the first server that wants it. */
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
    // Why there are none is told to whoever sends.
    this.#loaded.then((connections) => connections.close()).catch(() => undefined)
  }
}

async function loadSecure(origin: string, options: SecureOptions): Promise<Connections> {
  const { SecureConnections } = await import('./secure-connections.ts')
  return new SecureConnections(origin, options)
}
