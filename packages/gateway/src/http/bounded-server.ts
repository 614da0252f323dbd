import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerOptions } from 'node:http'
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
  const server = createServer({ ...TIMES, ...options }, answer)
  boundWaiting(server, limits)
  return server
}

interface Wait {
  since: number
  request?: IncomingMessage
}

function boundWaiting(server: Server, { most, graceMs }: WaitingLimits): void {
  // Longest first.
  const waiting = new Map<Socket, Wait>()
  let timer: NodeJS.Timeout | undefined
  const makeRoom = () => {
    timer = undefined
    for (const [socket, { since, request }] of waiting) {
      if (waiting.size <= most) return
      const isReceived = request?.complete === true
      const graceLeft = since + graceMs - performance.now()
      if (!isReceived && graceLeft > 0) {
        // No further connection may come to remind us: none is accepted when no file can be opened.
        timer = setTimeout(makeRoom, graceLeft).unref()
        return
      }
      waiting.delete(socket)
      if (!isReceived) socket.destroy()
    }
  }
  const wait = (socket: Socket) => {
    waiting.delete(socket)
    if (socket.destroyed) return
    waiting.set(socket, { since: performance.now() })
    if (waiting.size > most && timer === undefined) makeRoom()
  }
  server.on('connection', (socket: Socket) => {
    wait(socket)
    socket.once('close', () => waiting.delete(socket))
  })
  server.on('request', (request, response) => {
    const { socket } = request
    const known = waiting.get(socket)
    if (known !== undefined) known.request = request
    response.once('close', () => wait(socket))
  })
}
