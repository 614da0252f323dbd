import { Server, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Connections, LastActivity, type Connection, type WaitingLimits } from './connections.ts'

export interface ServerTimes {
  /** Until the whole head has arrived. A client on the same machine or network needs a fraction of it. */
  headersTimeout: number
  /** Until the whole request has arrived. */
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
 * An HTTP server that slow clients cannot fill. With time limits alone they could hold all files that the daemon may
 * open for a minute, again and again. So beyond a number of connections, those that have waited longest are closed.
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

/** What arrived last on a connection that Node reads from. */
class NodeConnection implements Connection {
  #request: IncomingMessage | undefined
  #response: ServerResponse | undefined
  readonly #lastActivity: LastActivity

  constructor(socket: Socket) {
    this.#lastActivity = new LastActivity(socket)
  }

  get since(): number {
    return this.#lastActivity.at
  }

  /** A request that has arrived completely is being answered until its answer is written, however long that takes. */
  get isWaiting(): boolean {
    return this.#request?.complete !== true || this.#response?.writableEnded === true
  }

  asked(request: IncomingMessage, response: ServerResponse): void {
    this.#lastActivity.touch()
    this.#request = request
    this.#response = response
  }
}
