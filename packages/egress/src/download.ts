import type { OnReadOpts, Socket } from 'node:net'
import type { Writable } from 'node:stream'

const BYTES = 64 * 1024

/**
 * What a connection brings, through one buffer that is filled again when it has been written. A fresh one for every read, as
 * streams have it, makes the garbage collector walk the whole daemon again and again during a large download.
 */
export class Download {
  /** The connection is to be made with it, and paused. */
  readonly onread: OnReadOpts = {
    buffer: Buffer.allocUnsafeSlow(BYTES),
    callback: (length, bytes) => this.#take(bytes.subarray(0, length)),
  }
  readonly #onWritten = () => this.#written()
  #from: Socket | undefined
  #to: Writable | undefined
  #unwritten = 0

  start(from: Socket, to: Writable): void {
    this.#from = from
    this.#to = to
    from.once('end', () => to.end())
    from.resume()
  }

  /** False: no more for now. */
  #take(bytes: Uint8Array): boolean {
    if (this.#to === undefined || this.#to.destroyed) return false
    this.#unwritten++
    this.#to.write(bytes, this.#onWritten)
    // Mostly the system takes all of it at once, and the buffer is free again.
    return this.#to.writableLength === 0
  }

  #written(): void {
    if (--this.#unwritten === 0) this.#from?.resume()
  }
}
