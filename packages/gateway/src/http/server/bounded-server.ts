import { Server, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Connections, Stillness, type Connection, type WaitingLimits } from './connections.ts'

export interface ServerTimes {
  /** Until a head has come; what a client on the same machine or network needs is a fraction of it. */
  headersTimeout: number
  /** Until all of a request has come. */
  requestTimeout: number
  /** Until the next request. */
  keepAliveTimeout: number
  connectionsCheckingInterval: number
}

export const TIMES: ServerTimes = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 10_000,
}

export const WAITING: WaitingLimits = { most: 512, graceMs: 1000 }

/**
 * An HTTP server that slow clients cannot fill. Time limits alone let them hold all files that the daemon may open for a
 * minute, again and again; so beyond a number, those that have waited longest go.
 */
export class BoundedServer extends Server {
  protected readonly open: Connections

  constructor(answer: RequestListener, times: Partial<ServerTimes> = {}, limits: WaitingLimits = WAITING) {
    super({ ...TIMES, ...times }, (request, response) => {
      const connection = this.open.get(request.socket)
      if (connection instanceof NodeConnection) connection.asked(request, response)
      answer(request, response)
    })
    this.open = new Connections(limits)
    this.on('connection', (socket: Socket) => this.open.add(socket, new NodeConnection(socket)))
    this.on('close', () => this.open.close())
  }
}

/** What came last on a connection that Node reads from. */
class NodeConnection implements Connection {
  #request: IncomingMessage | undefined
  #response: ServerResponse | undefined
  readonly #stillness: Stillness

  constructor(socket: Socket) {
    this.#stillness = new Stillness(socket)
  }

  get since(): number {
    return this.#stillness.since
  }

  /** A request that has come whole is being answered until its answer is written, however long that takes. */
  get isWaiting(): boolean {
    return this.#request?.complete !== true || this.#response?.writableEnded === true
  }

  asked(request: IncomingMessage, response: ServerResponse): void {
    this.#stillness.begin()
    this.#request = request
    this.#response = response
  }
}
