import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { BoundedServer, ServerTimes } from './bounded-server.ts'
import type { WaitingLimits } from './connections.ts'
import type { Answer } from './exchange.ts'
import type { PlainServer } from './plain-server.ts'
import { readBody } from './read-body.ts'
import { sendText } from './reply.ts'

/** Whoever reads the requests. */
export type Kind = typeof BoundedServer | typeof PlainServer

/** Tells back what it was asked, each path in its own way. */
const tell: Answer = (request, response) => {
  const { method, url = '', headers, rawHeaders } = request
  const text = (body: unknown) => JSON.stringify({ method, url, headers, rawHeaders, body })
  if (url === '/unread') return void response.end(text('unread'))
  if (url === '/last' || url === '/close') return respondAndClose(text('none'))
  const read = () =>
    readBody(request, 1_000_000, (body) => {
      if (body === 'aborted') return
      if (body === 'too-large') return respondAndClose(body)
      const whole = Buffer.concat(body)
      const shown = text(whole.length > 100 ? whole.length : whole.toString('latin1'))
      if (url === '/stream') return stream(shown)
      if (url === '/large') return void response.end(Buffer.from(shown))
      if (url === '/parts') return sendText(response, 200, 'text/plain', [Buffer.from(shown), Buffer.from('…')])
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(shown) })
      response.end(shown)
    })
  if (url === '/late') setImmediate(read)
  else read()

  function respondAndClose(shown: string) {
    response.writeHead(200, { connection: 'close', 'content-length': Buffer.byteLength(shown) })
    response.end(shown)
  }
  function stream(shown: string) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    response.write(shown)
    setImmediate(() => {
      response.write('äöü\n')
      response.end()
    })
  }
}

export async function openServer(
  Kind: Kind,
  options: { answer?: Answer; times?: Partial<ServerTimes>; limits?: WaitingLimits } = {},
): Promise<Server> {
  const server = new Kind(options.answer ?? tell, options.times, options.limits).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

export function addressOf(server: Server): AddressInfo {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  return address
}
