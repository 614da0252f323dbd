import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'

/** Linux only; Node has no name for it. */
const O_PATH = 0o10000000

/**
 * Connects to one unix socket whatever the address says. What is found there is looked at before it is connected to, and that very
 * file is: a link put in its place would lead to somebody else's socket.
 */
export class SocketAgent extends Agent {
  readonly #path: string

  constructor(path: string) {
    super({ keepAlive: true })
    this.#path = path
  }

  override createConnection(): Socket {
    // Elsewhere the daemon itself is who made it, in a folder of its own.
    if (process.platform !== 'linux') return connect(this.#path)
    const descriptor = openSync(this.#path, O_PATH | constants.O_NOFOLLOW)
    try {
      if (!fstatSync(descriptor).isSocket()) throw new Error(`${this.#path} is not a socket`)
    } catch (error) {
      closeSync(descriptor)
      throw error
    }
    const socket = connect(`/proc/self/fd/${descriptor}`)
    let isOpen = true
    const close = () => {
      // Once: the number may be another file's by then.
      if (isOpen) closeSync(descriptor)
      isOpen = false
    }
    socket.once('connect', close)
    socket.once('close', close)
    return socket
  }
}
