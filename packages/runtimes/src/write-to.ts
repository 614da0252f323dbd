import type { Writable } from 'node:stream'

/** Writes everything at once. Returns whether the stream has room for more. */
export function writeTo(stream: Writable, data: string | readonly Uint8Array[]): boolean {
  if (typeof data === 'string') return stream.write(data)
  let hasRoom = true
  stream.cork()
  for (const part of data) hasRoom = stream.write(part)
  stream.uncork()
  return hasRoom
}
