import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { connect } from 'node:net'
import type { buildConnector } from 'undici'

/** Linux only, as such sockets are; Node has no name for it. */
const O_PATH = 0o10000000

/**
 * Connects to one unix socket whatever the address says. What is found there is looked at before it is connected to, and that very
 * file is: a link put in its place would lead to somebody else's socket.
 */
export function connectToSocket(path: string): buildConnector.connector {
  return (_options, callback) => {
    let descriptor: number
    try {
      descriptor = openExactly(path)
    } catch (error) {
      return callback(error instanceof Error ? error : new Error(String(error)), null)
    }
    const socket = connect(`/proc/self/fd/${descriptor}`)
    let isOpen = true
    const close = () => {
      // Once: the number may be another file's by then.
      if (isOpen) closeSync(descriptor)
      isOpen = false
    }
    const fail = (error: Error) => callback(error, null)
    socket.once('error', fail)
    socket.once('close', close)
    socket.once('connect', () => {
      close()
      socket.off('error', fail)
      callback(null, socket)
    })
  }
}

function openExactly(path: string): number {
  const descriptor = openSync(path, O_PATH | constants.O_NOFOLLOW)
  try {
    if (!fstatSync(descriptor).isSocket()) throw new Error(`${path} is not a socket`)
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}
