import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { UpstreamRequest } from '../../src/http/client/connections.ts'
import { UpstreamConnections } from '../../src/http/client/upstream-connections.ts'

interface Asked {
  /** Everything that arrived, head and body. */
  text: string
  socket: Socket
  /** Number of the connection, from 1 on. */
  connection: number
  /** Number of the request on this connection, from 1 on. */
  turn: number
}

export function toRequest(origin: string, more: Partial<UpstreamRequest> = {}): UpstreamRequest {
  const url = new URL('/mcp?a=b', origin)
  const { signal } = new AbortController()
  return { method: 'POST', url, headers: {}, body: '{}', isRepeatable: true, signal, ...more }
}

/** A server that does what it wants with its connections. */
export async function bareServer(onAsked: (asked: Asked) => void, path?: string) {
  const sockets: Socket[] = []
  const asked: Asked[] = []
  const server = createServer((socket) => {
    const connection = sockets.push(socket)
    socket.on('error', () => {})
    let turn = 0
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      const head = text.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/.exec(text.slice(0, head))?.[1] ?? 0)
      // The rest of a larger body is not awaited.
      if (head === -1 || text.length < head + 4 + Math.min(length, 1024)) return
      const all = { text, socket, connection, turn: ++turn }
      text = ''
      asked.push(all)
      onAsked(all)
    })
  })
  server.listen(path === undefined ? { port: 0, host: '127.0.0.1' } : { path })
  await once(server, 'listening')
  const address = server.address()
  const origin = `http://${typeof address === 'object' && address !== null ? `127.0.0.1:${address.port}` : 'nobody.example'}`
  const connections = new UpstreamConnections(origin, { socketPath: path })
  const send = (more?: Partial<UpstreamRequest>) => connections.send(toRequest(origin, more))
  return {
    origin,
    sockets,
    asked,
    connections,
    send,
    ask: async (more?: Partial<UpstreamRequest>) => (await send(more)).text(10_000_000),
    [Symbol.asyncDispose]: async () => {
      connections.close()
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
