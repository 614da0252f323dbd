import type { Duplex } from 'node:stream'
import type { StdioChannel } from '@toolhaven/core/ports/runtime'
import { unavailable } from '@toolhaven/core/errors'
import { writeTo } from '../write-to.ts'
import { createDemultiplexer } from './demultiplex.ts'

/**
 * Makes a channel from a connection taken over from the engine's HTTP. Reading starts with the next turn of the event
 * loop.
 */
export function openStdioChannel(socket: Duplex, head: Buffer): StdioChannel {
  let closed: { error?: Error } | undefined
  const waiting = new Set<(error: Error) => void>()
  const channel: StdioChannel = {
    onStdout: () => {},
    onStderr: () => {},
    onClose: () => {},
    write(data) {
      if (closed !== undefined || socket.writableEnded) return Promise.reject(gone())
      return new Promise((resolve, reject) => {
        if (writeTo(socket, data)) return resolve()
        waiting.add(reject)
        socket.once('drain', () => {
          waiting.delete(reject)
          resolve()
        })
      })
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => {
      // What was written is still sent. The engine keeps its side open while the server lives, but nobody reads it any
      // more.
      if (socket.destroyed) return
      socket.end(() => socket.destroy())
    },
  }
  const end = (error?: Error) => {
    if (closed !== undefined) return
    closed = error === undefined ? {} : { error }
    for (const reject of waiting) reject(gone())
    waiting.clear()
    channel.onClose(error)
  }
  const demultiplex = createDemultiplexer({
    onStdout: (chunk) => channel.onStdout(chunk),
    onStderr: (chunk) => channel.onStderr(chunk),
  })
  let failure: Error | undefined
  socket.on('error', (error) => (failure = error))
  socket.on('end', () => socket.destroy())
  socket.on('close', () => end(failure))
  if (head.length > 0) socket.unshift(head)
  socket.on('data', demultiplex)
  return channel
}

const gone = () => unavailable('The connection to the server is closed.')
