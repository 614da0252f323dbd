import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'

/** What a client on the same machine or network needs is a fraction of it. */
const TIMES = { headersTimeout: 10_000, requestTimeout: 60_000, connectionsCheckingInterval: 10_000 }

export interface WaitingLimits {
  /** Connections on which nothing is being answered: nothing or half a request came, or the next one is awaited. */
  most: number
  /** So long a connection may wait whatever their number: many honest clients can come at once. */
  graceMs: number
}

const WAITING: WaitingLimits = { most: 512, graceMs: 1000 }

/**
 * An HTTP server that slow clients cannot fill. Time limits alone let them hold all files that the daemon may open for a
 * minute, again and again; so beyond a number, those that have waited longest go.
 */
export function boundedServer(answer: RequestListener, options: ServerOptions = {}, limits = WAITING): Server {
  const connections = new Connections(limits)
  const server = createServer({ ...TIMES, ...options }, (request, response) => {
    connections.asked(request, response)
    answer(request, response)
  })
  server.on('connection', (socket: Socket) => connections.opened(socket))
  return server
}

/** What came last on a connection, and when. */
interface Last {
  at: number
  request?: IncomingMessage
  response?: ServerResponse
}

/** Written down with each request and looked at only when there are many: a request must not pay for this. */
class Connections {
  readonly #limits: WaitingLimits
  readonly #open = new Map<Socket, Last>()
  #timer: NodeJS.Timeout | undefined

  constructor(limits: WaitingLimits) {
    this.#limits = limits
  }

  opened(socket: Socket): void {
    this.#open.set(socket, { at: performance.now() })
    socket.once('close', () => this.#open.delete(socket))
    if (this.#open.size > this.#limits.most && this.#timer === undefined) this.#makeRoom()
  }

  asked(request: IncomingMessage, response: ServerResponse): void {
    const last = this.#open.get(request.socket)
    if (last === undefined) return
    last.at = performance.now()
    last.request = request
    last.response = response
  }

  #makeRoom(): void {
    this.#timer = undefined
    const { most, graceMs } = this.#limits
    const waiting = [...this.#open].filter(([, last]) => isWaiting(last))
    const tooMany = waiting.toSorted(([, one], [, other]) => one.at - other.at).slice(0, -most)
    const now = performance.now()
    for (const [socket, { at }] of tooMany) {
      const graceLeft = at + graceMs - now
      if (graceLeft > 0) {
        // No further connection may come to remind us: none is accepted when no file can be opened.
        this.#timer = setTimeout(() => this.#makeRoom(), graceLeft).unref()
        return
      }
      socket.destroy()
    }
  }
}

/** A request that has come whole is being answered until its answer is written, however long that takes. */
function isWaiting({ request, response }: Last): boolean {
  return request?.complete !== true || response?.writableEnded === true
}
