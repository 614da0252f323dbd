import type { Socket } from 'node:net'
import type { Keeper, KeptBytes } from '../../sessions/kept-bytes.ts'
import type { HttpResponse } from './exchange.ts'

const KEY = Symbol('unread')

/**
 * Bytes that were written to a connection and that its client has not read yet. Beyond the limit the connection ends.
 */
class UnreadBytes implements Keeper {
  readonly #socket: Socket
  readonly #kept: KeptBytes
  #isAwaitingRead = false
  bytes = 0

  constructor(socket: Socket, kept: KeptBytes) {
    this.#socket = socket
    this.#kept = kept
    socket.once('close', () => this.#become(0))
  }

  look(): void {
    const { destroyed, writable, writableCorked, writableLength } = this.#socket
    // Node holds back what a response writes until the end of this tick: its client cannot have read it yet.
    if (writableCorked > 0 && !destroyed) return process.nextTick(() => this.look())
    if (writableLength > 0 && writable && !this.#isAwaitingRead) {
      this.#isAwaitingRead = true
      // Called once everything before it is written. A `drain` event comes only after more than the high-water mark.
      this.#socket.write('', () => {
        this.#isAwaitingRead = false
        this.look()
      })
    }
    this.#become(destroyed ? 0 : writableLength)
  }

  giveUp(): void {
    this.#socket.destroy()
    this.#become(0)
  }

  #become(bytes: number): void {
    const change = bytes - this.bytes
    this.bytes = bytes
    if (change !== 0) this.#kept.count(this, change)
  }
}

/** From now on, counts what this client leaves unread. */
export function countUnreadOf(socket: Socket, kept: KeptBytes): void {
  Reflect.set(socket, KEY, new UnreadBytes(socket, kept))
}

/** Call it after something was written: for a connection whose client reads, it costs nothing more than this look. */
export function lookForUnread({ socket }: HttpResponse): void {
  if (socket === null) return
  const unread: unknown = Reflect.get(socket, KEY)
  if (unread instanceof UnreadBytes && (socket.writableLength > 0 || unread.bytes > 0)) unread.look()
}
