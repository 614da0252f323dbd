import { once } from 'node:events'
import { Agent, get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { createServer, type Socket } from 'node:net'

export interface ReadAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** What Node's own client reads from the bytes that a server sends. */
export async function nodeReader() {
  let next: Uint8Array = Buffer.alloc(0)
  let isLast = true
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    let asked = ''
    socket.on('data', (bytes) => {
      asked += bytes.toString('latin1')
      if (!asked.endsWith('\r\n\r\n')) return
      asked = ''
      if (isLast) socket.end(next)
      else socket.write(next)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  const { port } = address
  const kept = new Agent({ keepAlive: true, maxSockets: 1 })

  /** Undefined: it is refused. */
  function ask(agent: Agent | false): Promise<ReadAnswer | undefined> {
    return new Promise((resolve) => {
      const request = get({ host: '127.0.0.1', port, agent }, (response) => read(response, resolve))
      request.on('error', () => resolve(undefined))
      request.on('close', () => resolve(undefined))
    })
  }

  return {
    /** The connection ends after it. */
    read: (bytes: Buffer) => {
      next = bytes
      isLast = true
      return ask(false)
    },
    /** All on one connection. */
    readAll: async (answers: readonly Buffer[]) => {
      const read: (ReadAnswer | undefined)[] = []
      for (const answer of answers) {
        next = answer
        isLast = false
        read.push(await ask(kept))
      }
      return read
    },
    [Symbol.asyncDispose]: async () => {
      kept.destroy()
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function read(response: IncomingMessage, resolve: (answer: ReadAnswer | undefined) => void): void {
  const parts: Buffer[] = []
  response.on('data', (part: Buffer) => parts.push(part))
  response.on('error', () => resolve(undefined))
  response.on('end', () => {
    const { statusCode = 0, headers, complete } = response
    resolve(complete ? { status: statusCode, headers, body: Buffer.concat(parts).toString('latin1') } : undefined)
  })
}
