import type { Socket } from 'node:net'
import { getCACertificates } from 'node:tls'
import { buildConnector, Client, Pool, type Dispatcher } from 'undici'
import { isAtTheMoment } from './at-the-moment.ts'
import { CallsOfSignals, type OpenCall } from './calls-of-signals.ts'
import { connectToSocket } from './connect-to-socket.ts'
import type { Connections, UpstreamRequest } from './connections.ts'
import { UpstreamResponse } from './upstream-response.ts'
import { type Vetting, vettedLookup } from './vetted-lookup.ts'

export interface SecureOptions extends Vetting {
  socketPath?: string | undefined
  caCertificate?: string | undefined
}

/** The kept connections to one server that is asked over TLS. */
export class SecureConnections implements Connections {
  readonly #pool: Pool
  readonly #makeClient: () => Client
  /** With one connection each, for what is asked once more. */
  readonly #clients = new Set<Client>()
  /** Errors of connections that had carried an answer before. */
  readonly #ofKept = new WeakSet<Error>()
  readonly #open = new CallsOfSignals<Exchange>()

  constructor(origin: string, { socketPath, caCertificate, ...vetting }: SecureOptions = {}) {
    const ca = caCertificate === undefined ? {} : { ca: [...getCACertificates('default'), caCertificate] }
    const connectTo =
      socketPath === undefined
        ? buildConnector({ lookup: vettedLookup(vetting), allowH2: false, ...ca })
        : toSocket(socketPath)
    const connect: buildConnector.connector = (options, callback) =>
      connectTo(options, (...result) => {
        if (result[0] === null) this.#watch(result[1])
        callback(...result)
      })
    // A call takes as long as its client waits, and a stream may be silent for hours.
    const options = { connect, headersTimeout: 0, bodyTimeout: 0 }
    this.#pool = new Pool(origin, { ...options, connections: null })
    this.#makeClient = () => new Client(origin, options)
  }

  send(request: UpstreamRequest, path: string): Promise<UpstreamResponse> {
    return new Promise((resolve, reject) => {
      const askedAt = performance.now()
      this.#once(this.#pool, request, path, resolve, (error) => {
        // A kept connection that the server closed at the same moment. Most likely it has not seen the request.
        const isUnseen = error instanceof Error && this.#wasKept(error) && isAtTheMoment(askedAt)
        if (isUnseen && request.isRepeatable === true && !request.signal.aborted)
          this.#askAnew(request, path, resolve, reject)
        else reject(error)
      })
    })
  }

  close(): void {
    // It never rejects; there is nobody left to tell.
    for (const dispatcher of [this.#pool, ...this.#clients]) void dispatcher.destroy().catch(() => undefined)
  }

  /** Not in the pool: the other connections that it keeps may be closed as well. */
  #askAnew(
    request: UpstreamRequest,
    path: string,
    resolve: (response: UpstreamResponse) => void,
    reject: (error: unknown) => void,
  ): void {
    const client = this.#makeClient()
    this.#clients.add(client)
    this.#once(client, request, path, resolve, reject)
    // When the answer has ended.
    const ended = () => this.#clients.delete(client)
    void client.close().then(ended, ended)
  }

  #once(
    dispatcher: Dispatcher,
    { method, headers, body, signal }: UpstreamRequest,
    path: string,
    resolve: (response: UpstreamResponse) => void,
    reject: (error: unknown) => void,
  ): void {
    if (signal.aborted) return reject(signal.reason)
    const exchange = new Exchange(this.#open.of(signal), resolve, reject)
    dispatcher.dispatch({ method, path, headers, body: body ?? null }, exchange)
  }

  #watch(socket: Socket): void {
    socket.once('error', (error) => {
      if (socket.bytesRead > 0) this.#ofKept.add(error)
    })
  }

  #wasKept(error: Error): boolean {
    if (this.#ofKept.has(error)) return 'code' in error && error.code !== 'ECONNREFUSED'
    return 'socket' in error && isRead(error.socket)
  }
}

/** The client's own error for a connection that was closed says how much had come over it. */
function isRead(socket: unknown): boolean {
  return typeof socket === 'object' && socket !== null && 'bytesRead' in socket && Number(socket.bytesRead) > 0
}

/** One request and its answer. */
class Exchange implements Dispatcher.DispatchHandler, OpenCall {
  readonly #open: Set<Exchange>
  readonly #resolve: (response: UpstreamResponse) => void
  readonly #reject: (error: unknown) => void
  #response: UpstreamResponse | undefined
  #controller: Dispatcher.DispatchController | undefined
  #givenUp: Error | undefined

  constructor(open: Set<Exchange>, resolve: (response: UpstreamResponse) => void, reject: (error: unknown) => void) {
    this.#open = open
    this.#resolve = resolve
    this.#reject = reject
    open.add(this)
  }

  giveUp(reason: Error): void {
    this.#givenUp = reason
    this.#controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#givenUp !== undefined) controller.abort(this.#givenUp)
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: UpstreamResponse['headers'],
  ): void {
    if (status < 200) return
    this.#response = new UpstreamResponse(status, headers, controller)
    this.#resolve(this.#response)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#response?.take(chunk)
  }

  onResponseEnd(): void {
    this.#open.delete(this)
    this.#response?.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#open.delete(this)
    // An answer that has begun is not asked for again.
    if (this.#response === undefined) this.#reject(error)
    else this.#response.end(error)
  }
}

function toSocket(path: string): buildConnector.connector {
  return (_options, callback) => {
    let socket: Socket
    try {
      socket = connectToSocket(path)
    } catch (error) {
      return callback(error instanceof Error ? error : new Error(String(error)), null)
    }
    const fail = (error: Error) => callback(error, null)
    socket.once('error', fail)
    socket.once('connect', () => {
      socket.off('error', fail)
      callback(null, socket)
    })
  }
}
