import type { Socket } from 'node:net'

export interface WaitingLimits {
  /** Connections on which nothing is being answered: nothing or half a request came, or the next one is awaited. */
  most: number
  /** So long a connection may wait whatever their number: many honest clients can come at once. */
  graceMs: number
  /** The other ports of this process, which share its files. */
  all?: AllPorts
}

export interface Connection {
  readonly isWaiting: boolean
  /** When it began to. */
  readonly since: number
}

/** Since when nothing happens on a connection: an answer that its client reads slowly is being written so long. */
export class Stillness {
  readonly #socket: Socket
  #since = performance.now()
  #unsent = 0

  constructor(socket: Socket) {
    this.#socket = socket
  }

  begin(): void {
    this.#since = performance.now()
  }

  get since(): number {
    const unsent = unsentBytes(this.#socket)
    if (unsent !== this.#unsent) this.begin()
    this.#unsent = unsent
    return this.#since
  }
}

/** Of a write that is under way the stream itself does not tell how far it is; its handle does, where Node's own timeouts look. */
function unsentBytes(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle')
  const queued: unknown =
    typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : undefined
  return typeof queued === 'number' ? queued : socket.writableLength
}

/** All that are open. Looked at only when there are many: a request must not pay for this. */
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

  /** Those that wait, the longest waiting first. */
  get waiting(): Socket[] {
    return this.#inOrder().map(([socket]) => socket)
  }

  /** Nobody listens any more. */
  close(): void {
    this.#limits.all?.delete(this)
  }

  /** Or somebody else reads from it now. */
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
        // No further connection may come to remind us: none is accepted when no file can be opened.
        this.#timer = setTimeout(() => this.#makeRoom(), graceLeft).unref()
        return
      }
      socket.destroy()
    }
  }

  #inOrder(): [Socket, Connection][] {
    // One that was ended stays here until it is closed.
    const waiting = [...this.#open].filter(([{ destroyed }, { isWaiting }]) => isWaiting && !destroyed)
    return waiting.toSorted(([, one], [, other]) => one.since - other.since)
  }
}

/**
 * The ports of a process, which may have only so many connections that wait, all together. Beyond that the port with the most of them
 * gives up those that waited longest: whoever fills one port ends nobody's connection at another. There is no grace, since the next
 * connection might be one that cannot be opened.
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
    // Some more, so that not every connection leads to this.
    for (const enough = this.#most * 0.9; count > enough; count--) {
      const fullest = waiting.reduce((one, other) => (other.length > one.length ? other : one))
      fullest.shift()?.destroy()
    }
  }
}
