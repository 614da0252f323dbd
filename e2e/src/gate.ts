import { once } from 'node:events'
import { type Socket, connect, createServer } from 'node:net'

/** A port that lets connections pass until it is told to hold them: what waits for it is caught halfway. */
export interface Gate extends AsyncDisposable {
  port: number
  hold: () => void
  /** Resolves when a connection waits at the gate. */
  reached: Promise<void>
  open: () => void
}

/** While open, it passes connections on to the given port of the loopback, or ends them when there is none. */
export async function makeGate(target?: number): Promise<Gate> {
  const held = new Set<Socket>()
  const arrived = Promise.withResolvers<void>()
  let isOpen = true
  const pass = (socket: Socket) => {
    if (target === undefined) return void socket.destroy()
    const onward = connect(target, '127.0.0.1')
    // Either side may be killed, which ends the other: that is what these tests are about.
    for (const end of [socket, onward]) end.on('error', () => void [socket, onward].map((each) => each.destroy()))
    socket.pipe(onward).pipe(socket)
  }
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    if (isOpen) return pass(socket)
    arrived.resolve()
    held.add(socket)
    socket.on('close', () => held.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return {
    port: address.port,
    hold: () => {
      isOpen = false
    },
    reached: arrived.promise,
    open: () => {
      isOpen = true
      for (const socket of held) pass(socket)
      held.clear()
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of held) socket.destroy()
      server.close()
    },
  }
}
