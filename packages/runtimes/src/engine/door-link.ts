import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream'
import type { Door } from './door.ts'

/** Connections that are ready for what the workload opens next. Each one that is used is replaced at once. */
const WAITING = 4
const RETRY_MS = 250

/** Whether the sidecar behind a door listens. Also false while the door itself does not answer yet. */
export async function isReadyBehind(door: Door): Promise<boolean> {
  const socket = dial(door, 'r')
  socket.setTimeout(2_000, () => socket.destroy())
  return (await text(socket).catch(() => '')) === 'y'
}

/**
 * The daemon's end of a door. It forwards connections to our own socket inwards, and leads each connection that comes
 * out to one of the daemon's sockets, where it is judged. Without it, nothing gets in or out.
 */
export class DoorLink implements AsyncDisposable {
  readonly #door: Door
  readonly #sockets = new Set<Socket>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #server: Server | undefined
  #isClosed = false

  constructor(door: Door) {
    this.#door = door
  }

  async open(socketPath: string): Promise<void> {
    if (this.#door.hasWayIn) {
      this.#server = createServer({ allowHalfOpen: true }, (client) => this.#join(client, dial(this.#door, 'i')))
      await rm(socketPath, { force: true })
      this.#server.listen(socketPath)
      await once(this.#server, 'listening')
      await chmod(socketPath, 0o600)
    }
    if (this.#door.outward.length > 0) for (let slot = 0; slot < WAITING; slot += 1) this.#wait()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers) clearTimeout(timer)
    const closed = new Promise<unknown>((done) =>
      this.#server === undefined ? done(undefined) : this.#server.close(done),
    )
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #wait(): void {
    if (this.#isClosed) return
    const socket = this.#keep(dial(this.#door, 'o'))
    const onClose = () => this.#waitLater()
    socket.once('close', onClose)
    const onReadable = () => {
      const which: unknown = socket.read(1)
      // A connection that has ended is readable too. Its close event follows.
      if (!Buffer.isBuffer(which)) return
      socket.off('readable', onReadable)
      socket.off('close', onClose)
      this.#wait()
      const path = this.#door.outward[which[0] ?? -1]
      if (path === undefined) return void socket.destroy()
      this.#join(socket, connect({ path, allowHalfOpen: true }))
    }
    socket.on('readable', onReadable)
  }

  /** The door is not open, or no longer open: it may be opened again. */
  #waitLater(): void {
    if (this.#isClosed) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.#wait()
    }, RETRY_MS)
    this.#timers.add(timer)
  }

  #join(near: Socket, far: Socket): void {
    this.#keep(near)
    this.#keep(far)
    pipeline(near, far, near, () => {
      near.destroy()
      far.destroy()
    })
  }

  #keep(socket: Socket): Socket {
    if (this.#sockets.has(socket)) return socket
    this.#sockets.add(socket)
    // The close event follows, and says enough.
    socket.on('error', () => undefined)
    socket.once('close', () => this.#sockets.delete(socket))
    return socket
  }
}

function dial({ port, token }: Door, letter: 'i' | 'o' | 'r'): Socket {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true })
  socket.write(`${token}${letter}`)
  return socket
}
