import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { connect, type OnReadOpts, type Socket } from 'node:net'

/** Linux only. Node has no name for it. */
const O_PATH = 0o10000000

/**
 * Connects to one unix socket, whatever the URL says. It inspects the file first and connects to exactly that file: a
 * link put in its place would lead to another user's socket.
 */
export function connectToSocket(path: string, onread?: OnReadOpts): Socket {
  // On systems other than Linux the daemon itself made the socket, in a folder of its own.
  const place = process.platform === 'linux' ? exactly(path) : { path, close: () => {} }
  const socket = connect({ path: place.path, ...(onread && { onread }) })
  socket.once('connect', place.close)
  socket.once('close', place.close)
  return socket
}

function exactly(path: string): { path: string; close: () => void } {
  const descriptor = openSync(path, O_PATH | constants.O_NOFOLLOW)
  let isOpen = true
  const close = () => {
    // Only once: the number may belong to another file by then.
    if (isOpen) closeSync(descriptor)
    isOpen = false
  }
  try {
    if (!fstatSync(descriptor).isSocket()) throw new Error(`${path} is not a socket`)
  } catch (error) {
    close()
    throw error
  }
  return { path: `/proc/self/fd/${descriptor}`, close }
}
