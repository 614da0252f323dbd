import { createServer, type RequestListener } from 'node:http'
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { PlainConnections } from './plain-connections.ts'
import { SecureConnections } from './secure-connections.ts'
import type { Connections } from './upstream-connections.ts'

const never = () => new AbortController().signal

const kinds: [string, (origin: string) => Connections][] = [
  ['of our own client', (origin) => new PlainConnections(new URL(origin), undefined)],
  // TLS apart they are the same at a plain server.
  ['as they are over TLS', (origin) => new SecureConnections(origin, undefined)],
]

describe.each(kinds)('connections %s', (_kind, connectTo) => {
  const serve = (listener: RequestListener) => serveOver(connectTo, listener)

  it('ask once more when a kept connection ends at the moment it is used', async () => {
    let asked = 0
    await using server = await serve((request, response) => {
      asked++
      if (asked === 2) request.socket.destroy()
      else response.end(`answer ${asked}`)
    })
    expect(await server.ask()).toBe('answer 1')
    // Until the connection is free again.
    await nextTurn()
    expect(await server.ask()).toBe('answer 3')
  })

  it('do so as well when it is reset', async () => {
    let asked = 0
    await using server = await serve((request, response) => {
      asked++
      if (asked === 2) request.socket.resetAndDestroy()
      else response.end(`answer ${asked}`)
    })
    expect(await server.ask()).toBe('answer 1')
    // Until the connection is free again.
    await nextTurn()
    expect(await server.ask()).toBe('answer 3')
  })

  it('do not ask again when a new one breaks: the server may have done its work', async () => {
    let asked = 0
    await using server = await serve((request) => {
      asked++
      request.socket.destroy()
    })
    await expect(server.ask()).rejects.toThrow('other side closed')
    expect(asked).toBe(1)
  })

  it('tell the reader when an answer breaks off, after what had come of it', async () => {
    await using server = await serve((request, response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('half', () => request.socket.destroy())
    })
    const response = await server.send(never())
    let seen = ''
    const read = response.read((chunk) => {
      seen += chunk.toString()
    })
    await expect(read).rejects.toThrow()
    expect(seen).toBe('half')
  })

  it('do not ask again for an answer that broke off, on a kept connection either', async () => {
    let asked = 0
    await using server = await serve((request, response) => {
      asked++
      if (asked === 1) return void response.end('whole')
      response.writeHead(200, { 'content-length': 100 })
      response.write('half', () => request.socket.destroy())
    })
    expect(await server.ask()).toBe('whole')
    await nextTurn()
    await expect(server.ask()).rejects.toThrow()
    expect(asked).toBe(2)
  })

  it('keep what comes before anybody reads, and have the server wait', async () => {
    const large = 'x'.repeat(32 * 1024 * 1024)
    let isWritten = false
    await using server = await serve((_request, response) => {
      response.end(large)
      response.once('finish', () => {
        isWritten = true
      })
    })
    const response = await server.send(never())
    // Time enough for all of it.
    for (let i = 0; i < 500; i++) await server.ask('/other')
    expect(isWritten).toBe(false)
    expect((await response.text(large.length)).length).toBe(large.length)
  })

  it('end an answer that is over the limit', async () => {
    await using server = await serve((_request, response) => void response.end('x'.repeat(2000)))
    const response = await server.send(never())
    await expect(response.text(1000)).rejects.toThrow('the answer is over the limit of 1000 bytes')
  })

  it('are let go when nobody wants an answer any more, before and after it began', async () => {
    await using server = await serve((request, response) => {
      if (request.url === '/begun') response.write('first')
    })
    const before = new AbortController()
    const asked = server.send(before.signal)
    before.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
    const after = new AbortController()
    const response = await server.send(after.signal, '/begun')
    const read = response.read(() => after.abort(new Error('enough')))
    await expect(read).rejects.toThrow('enough')
  })
})

async function serveOver(connectTo: (origin: string) => Connections, listener: RequestListener) {
  const server = createServer((request, response) => {
    if (request.url === '/other') response.end('other')
    else listener(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  const origin = `http://127.0.0.1:${address.port}`
  const connections = connectTo(origin)
  const send = (signal: AbortSignal, path = '/mcp') =>
    connections.send({ method: 'POST', url: new URL(path, origin), headers: {}, body: '{}', signal }, path)
  return {
    send,
    ask: async (path?: string) => (await send(never(), path)).text(1_000_000),
    [Symbol.asyncDispose]: async () => {
      connections.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
