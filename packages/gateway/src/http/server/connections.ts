import type { Socket } from 'node:net'

export interface WaitingLimits {
  /** Limit for waiting connections: nothing or half a request has arrived, or the next request is awaited. */
  most: number
  /** A connection may wait this long whatever their number: many honest clients can come at once. */
  graceMs: number
  /** The other ports of this process, which share its files. */
  all?: AllPorts
}

export interface Connection {
  readonly isWaiting: boolean
  /** When it began to wait. */
  readonly since: number
}

/** When something last happened on a connection. Sending counts: a client may read an answer slowly. */
export class LastActivity {
  readonly #socket: Socket
  #at = performance.now()
  #unsent = 0

  constructor(socket: Socket) {
    this.#socket = socket
  }

  touch(): void {
    this.#at = performance.now()
  }

  get at(): number {
    const unsent = unsentBytes(this.#socket)
    if (unsent !== this.#unsent) this.touch()
    this.#unsent = unsent
    return this.#at
  }
}

/** A stream does not tell how far a write has got; its handle does, which is where Node's own timeouts look. */
function unsentBytes(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle')
  const queued: unknown =
    typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : undefined
  return typeof queued === 'number' ? queued : socket.writableLength
}

/** All open connections. Scanned only when there are many: a request must not pay for this. */
export class Connections {
  readonly #limits: WaitingLimits
  readonly #open = new Map<Socket, Connection>()
  #timer: NodeJS.Timeout | undefined

  constructor(limits: WaitingLimits) {
    this.#limits = limits
    limits.all?.add(this)
  }

  get size(): number {
    return this.#open.size
  }

  /** The waiting connections, the longest waiting first. */
  get waiting(): Socket[] {
    return this.#inOrder().map(([socket]) => socket)
  }

  /** The server no longer listens. */
  close(): void {
    this.#limits.all?.delete(this)
  }

  /** Also called when other code starts to read from the socket. */
  add(socket: Socket, connection: Connection): void {
    if (!this.#open.has(socket)) socket.once('close', () => this.#open.delete(socket))
    this.#open.set(socket, connection)
    if (this.#open.size > this.#limits.most && this.#timer === undefined) this.#makeRoom()
    this.#limits.all?.makeRoom()
  }

  get(socket: Socket): Connection | undefined {
    return this.#open.get(socket)
  }

  [Symbol.iterator](): IterableIterator<[Socket, Connection]> {
    return this.#open.entries()
  }

  #makeRoom(): void {
    this.#timer = undefined
    const { most, graceMs } = this.#limits
    const tooMany = this.#inOrder().slice(0, -most)
    const now = performance.now()
    for (const [socket, { since }] of tooMany) {
      const graceLeft = since + graceMs - now
      if (graceLeft > 0) {
        // No further connection may trigger the next check: none is accepted when no file can be opened.
        this.#timer = setTimeout(() => this.#makeRoom(), graceLeft).unref()
        return
      }
      socket.destroy()
    }
  }

  #inOrder(): [Socket, Connection][] {
    // A connection that was ended stays here until it is closed.
    const waiting = [...this.#open].filter(([{ destroyed }, { isWaiting }]) => isWaiting && !destroyed)
    return waiting.toSorted(([, one], [, other]) => one.since - other.since)
  }
}

/**
 * All ports of a process together. They may have only a limited number of waiting connections. Beyond that the port
 * with the most of them closes those that waited longest: a client that fills one port ends nobody's connection at
 * another. There is no grace, because the next connection might be one that cannot be opened.
 */
export class AllPorts {
  readonly #most: number
  readonly #ports = new Set<Connections>()

  constructor(most: number) {
    this.#most = most
  }

  add(port: Connections): void {
    this.#ports.add(port)
  }

  delete(port: Connections): void {
    this.#ports.delete(port)
  }

  makeRoom(): void {
    let open = 0
    for (const { size } of this.#ports) open += size
    if (open <= this.#most) return
    const waiting = [...this.#ports].map((port) => port.waiting)
    let count = waiting.reduce((sum, { length }) => sum + length, 0)
    if (count <= this.#most) return
    // Closes some more, so that not every new connection leads to this.
    for (const enough = this.#most * 0.9; count > enough; count--) {
      const fullest = waiting.reduce((one, other) => (other.length > one.length ? other : one))
      fullest.shift()?.destroy()
    }
  }
}
