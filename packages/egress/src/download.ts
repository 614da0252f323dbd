import type { OnReadOpts, Socket } from 'node:net'
import type { Writable } from 'node:stream'

const BYTES = 64 * 1024

/**
 * Forwards the data of a connection through one buffer, which is reused after each write. A new buffer for every read, as in
 * streams, would make the garbage collector scan the whole daemon repeatedly during a large download.
 */
export class Download {
  /** The connection must be created with it, and paused. */
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

  /** Returns false to stop reading for now. */
  #take(bytes: Uint8Array): boolean {
    if (this.#to === undefined || this.#to.destroyed) return false
    this.#unwritten++
    this.#to.write(bytes, this.#onWritten)
    // Usually the system accepts all of it at once, and the buffer is free again.
    return this.#to.writableLength === 0
  }

  #written(): void {
    if (--this.#unwritten === 0) this.#from?.resume()
  }
}
