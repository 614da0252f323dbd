import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import type { Server as HttpServer } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { unavailable } from '@toolhaven/core/errors'

/** The maximum length of a unix socket's address. Node silently cuts a longer one and binds another file. */
const LONGEST_PATH = 107

/** The sockets of a gate, and every connection through it, so that closing the gate ends all of them. */
export class GateSockets {
  readonly #maxConnections: number
  readonly #servers: (Server | HttpServer)[] = []
  readonly #paths: string[] = []
  readonly #open = new Set<Duplex>()

  constructor(maxConnections: number) {
    this.#maxConnections = maxConnections
  }

  async listen(server: Server | HttpServer, path: string): Promise<void> {
    if (Buffer.byteLength(path) > LONGEST_PATH)
      throw unavailable(
        `the socket path ${path} is longer than ${LONGEST_PATH} bytes; choose a shorter XDG_RUNTIME_DIR`,
      )
    server.maxConnections = this.#maxConnections
    server.on('connection', (socket: Socket) => {
      this.add(socket)
      socket.on('error', () => socket.destroy())
    })
    await rm(path, { force: true })
    server.listen(path)
    await once(server, 'listening')
    await chmod(path, 0o600)
    this.#servers.push(server)
    this.#paths.push(path)
  }

  add(socket: Duplex): void {
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
  }

  async close(): Promise<void> {
    const closed = this.#servers.map((server) => new Promise((done) => server.close(done)))
    for (const socket of this.#open) socket.destroy()
    await Promise.all(closed)
    for (const path of this.#paths) await rm(path, { force: true })
  }
}
