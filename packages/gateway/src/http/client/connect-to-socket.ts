import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { connect, type OnReadOpts, type Socket } from 'node:net'

/** Linux only; Node has no name for it. */
const O_PATH = 0o10000000

/**
 * Connects to one unix socket whatever the address says. What is found there is looked at before it is connected to, and that very
 * file is: a link put in its place would lead to somebody else's socket.
 */
export function connectToSocket(path: string, onread?: OnReadOpts): Socket {
  // Elsewhere than on Linux the daemon itself is who made it, in a folder of its own.
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
    // Once: the number may be another file's by then.
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
