/** Collects bytes that arrive in pieces. Each byte is copied only a few times, however small the pieces are. */
export class GrowingBytes {
  #buffer = Buffer.alloc(0)
  #length = 0

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  add(piece: Buffer): void {
    const length = this.#length + piece.length
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#buffer.length))
      this.bytes.copy(larger)
      this.#buffer = larger
    }
    piece.copy(this.#buffer, this.#length)
    this.#length = length
  }
}
