const HEADER_BYTES = 8
const STDERR = 2

/**
 * Splits the engine's stream of frames `[stream, 0, 0, 0, length as big-endian 32 bits, payload]`. Passes the payload
 * on as it arrives, uncopied. A frame may arrive in any number of pieces.
 */
export function createDemultiplexer(sink: {
  onStdout: (chunk: Uint8Array) => void
  onStderr: (chunk: Uint8Array) => void
}): (chunk: Buffer) => void {
  const header = Buffer.alloc(HEADER_BYTES)
  let headerFilled = 0
  let payloadLeft = 0

  return (chunk) => {
    let at = 0
    while (at < chunk.length) {
      if (payloadLeft === 0) {
        const taken = chunk.copy(header, headerFilled, at, at + HEADER_BYTES - headerFilled)
        headerFilled += taken
        at += taken
        if (headerFilled < HEADER_BYTES) return
        headerFilled = 0
        payloadLeft = header.readUInt32BE(4)
        continue
      }
      const piece = chunk.subarray(at, at + payloadLeft)
      at += piece.length
      payloadLeft -= piece.length
      if (header[0] === STDERR) sink.onStderr(piece)
      else sink.onStdout(piece)
    }
  }
}
