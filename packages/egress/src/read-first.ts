import type { Socket } from 'node:net'

/** Returns how many of the bytes so far belong to the first message. */
export type FirstLength = (bytes: Buffer) => number | 'more' | 'never'

/**
 * Reads the first message of a connection and the bytes after it, and pauses the connection. If the message does not come in time,
 * or cannot come any more, ends the connection and returns undefined.
 */
export function readFirst(
  socket: Socket,
  lengthOf: FirstLength,
  timeoutMs: number,
): Promise<{ first: Buffer; rest: Buffer } | undefined> {
  return new Promise((done) => {
    let bytes = Buffer.alloc(0)
    const finish = (found: { first: Buffer; rest: Buffer } | undefined) => {
      clearTimeout(timer)
      socket.off('data', onData).off('end', giveUp).off('close', giveUp)
      socket.pause()
      if (found === undefined) socket.destroy()
      done(found)
    }
    const giveUp = () => finish(undefined)
    const onData = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      const length = lengthOf(bytes)
      if (length === 'never') giveUp()
      else if (length !== 'more') finish({ first: bytes.subarray(0, length), rest: bytes.subarray(length) })
    }
    const timer = setTimeout(giveUp, timeoutMs)
    socket.on('data', onData).once('end', giveUp).once('close', giveUp)
  })
}

/** A line including its newline, up to this many bytes. */
export const lineOf =
  (longest: number): FirstLength =>
  (bytes) => {
    const end = bytes.subarray(0, longest).indexOf('\n')
    return end >= 0 ? end + 1 : bytes.length >= longest ? 'never' : 'more'
  }

/** A message after its length in two bytes, as in DNS over TCP. */
export const sizedMessage =
  (longest: number): FirstLength =>
  (bytes) => {
    if (bytes.length < 2) return 'more'
    const length = bytes.readUInt16BE(0)
    if (length > longest) return 'never'
    return bytes.length < 2 + length ? 'more' : 2 + length
  }
