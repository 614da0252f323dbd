import type { Socket } from 'node:net'

export interface WaitingLimits {
  /** Connections on which nothing is being answered: nothing or half a request came, or the next one is awaited. */
  most: number
  /** So long a connection may wait whatever their number: many honest clients can come at once. */
  graceMs: number
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
  }

  /** Or somebody else reads from it now. */
  add(socket: Socket, connection: Connection): void {
    if (!this.#open.has(socket)) socket.once('close', () => this.#open.delete(socket))
    this.#open.set(socket, connection)
    if (this.#open.size > this.#limits.most && this.#timer === undefined) this.#makeRoom()
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
    const waiting = [...this.#open].filter(([, { isWaiting }]) => isWaiting)
    const tooMany = waiting.toSorted(([, one], [, other]) => one.since - other.since).slice(0, -most)
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
}
