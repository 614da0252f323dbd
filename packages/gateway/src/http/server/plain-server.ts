import type { Socket } from 'node:net'
import { BoundedServer, TIMES, WAITING, type ServerTimes } from './bounded-server.ts'
import type { WaitingLimits } from './connections.ts'
import type { Answer } from './exchange.ts'
import { PlainConnection } from './plain-connection.ts'

/** Longer than the pauses of usual clients, so that they do not meet a connection that is being closed. */
const KEEP_CONNECTION_MS = 75_000

/** Reads plain POSTs itself, which is nearly everything that MCP clients send. Node reads everything else. */
export class PlainServer extends BoundedServer {
  readonly #times: ServerTimes
  #timer: NodeJS.Timeout | undefined

  constructor(answer: Answer, times: Partial<ServerTimes> = {}, limits: WaitingLimits = WAITING) {
    const all = { ...TIMES, keepAliveTimeout: KEEP_CONNECTION_MS, ...times }
    super(answer, all, limits)
    this.#times = all
    // Node's own listener, and that for connections that Node reads: they get what is not plain.
    const readByNode = this.listeners('connection')
    this.removeAllListeners('connection')
    const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(all.keepAliveTimeout / 1000)}\r\n`
    const onOther = (socket: Socket, bytes: Buffer) => {
      socket.unshift(bytes)
      for (const listener of readByNode) Reflect.apply(listener, this, [socket])
    }
    this.on('connection', (socket: Socket) => {
      this.open.add(socket, new PlainConnection(socket, { answer, keepAlive, onOther }))
    })
    this.on('listening', () => {
      this.#timer = setInterval(() => this.#endLate(), this.#times.connectionsCheckingInterval).unref()
    })
    this.on('close', () => clearInterval(this.#timer))
  }

  override closeAllConnections(): void {
    super.closeAllConnections()
    for (const [socket] of this.#plain()) socket.destroy()
  }

  /** `close` calls this as well. */
  override closeIdleConnections(): void {
    super.closeIdleConnections()
    for (const [socket, { isIdle }] of this.#plain()) if (isIdle) socket.destroy()
  }

  /** Does what Node does for the connections that Node reads. */
  #endLate(): void {
    const now = performance.now()
    const { headersTimeout, requestTimeout, keepAliveTimeout } = this.#times
    for (const [socket, connection] of this.#plain()) {
      // 0 means no limit, as in Node.
      const isOver = (limit: number) => limit > 0 && now - connection.since > limit
      if (connection.isIncomplete && isOver(requestTimeout)) connection.refuseLate()
      if (!connection.isAnswered) continue
      if (!connection.hasAsked && isOver(headersTimeout)) connection.refuseLate()
      if (connection.hasAsked && isOver(keepAliveTimeout)) socket.destroy()
    }
  }

  *#plain(): Iterable<[Socket, PlainConnection]> {
    for (const [socket, connection] of this.open) if (connection instanceof PlainConnection) yield [socket, connection]
  }
}
