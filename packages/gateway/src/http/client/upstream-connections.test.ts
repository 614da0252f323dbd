import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls'
import { testCertificate } from '@toolhaven/testing/testbed/certificate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UpstreamConnections } from './upstream-connections.ts'

const never = () => new AbortController().signal

interface Kind {
  scheme: 'http' | 'https'
  createServer: (listener: RequestListener) => Server
}

const plain: Kind = {
  scheme: 'http',
  createServer,
}
const secure: Kind = {
  scheme: 'https',
  createServer: (listener) => createSecureServer(testCertificate, listener),
}

const usual = getCACertificates('default')
beforeAll(() => setDefaultCACertificates([...usual, testCertificate.cert]))
afterAll(() => setDefaultCACertificates(usual))

describe.each([plain, secure])('connections over $scheme', (kind) => {
  const serve = (listener: RequestListener) => serveOver(kind, listener)

  it('ask once more for what does no harm twice when a kept connection ends at the moment it is used', async () => {
    let asked = 0
    await using server = await serve((request, response) => {
      asked++
      if (asked === 2) request.socket.destroy()
      else response.end(`answer ${asked}`)
    })
    expect(await server.ask()).toBe('answer 1')
    // Until the connection is free again.
    await nextTurn()
    expect(await server.ask('/mcp', true)).toBe('answer 3')
  })

  it.each(['closed', 'reset'])('never repeat what may do harm twice, when a kept connection is %s', async (how) => {
    let paid = 0
    await using server = await serve((request, response) => {
      if (request.url === '/greet') return void response.end('hello')
      paid++
      if (how === 'reset') server.reset()
      else request.socket.destroy()
    })
    expect(await server.ask('/greet')).toBe('hello')
    await nextTurn()
    await expect(server.ask('/pay')).rejects.toThrow()
    expect(paid).toBe(1)
  })

  it.each([
    ['before', (reset: () => void) => reset()],
    // After the client has checked that the connection is still there.
    ['in the last moment', (reset: () => void) => void setImmediate(reset)],
  ])('send what was never sent on a new one, whatever it does, when a kept one was reset %s', async (_when, soon) => {
    let paid = 0
    await using server = await serve((request, response) => {
      if (request.url === '/pay') paid++
      response.end(`${paid}`)
    })
    for (let round = 1; round <= 20; round++) {
      await server.ask('/greet')
      await nextTurn()
      soon(() => server.reset())
      expect(await server.ask('/pay')).toBe(`${round}`)
    }
    expect(paid).toBe(20)
  })

  it('do so as well when it is reset', async () => {
    let asked = 0
    await using server = await serve((_request, response) => {
      asked++
      if (asked === 2) server.reset()
      else response.end(`answer ${asked}`)
    })
    expect(await server.ask()).toBe('answer 1')
    // Until the connection is free again.
    await nextTurn()
    expect(await server.ask('/mcp', true)).toBe('answer 3')
  })

  it('ask on a new one then, though others are kept: the server has closed those too', async () => {
    const kept = new Set<Socket>()
    const waiting: (() => void)[] = []
    await using server = await serve((request, response) => {
      if (kept.has(request.socket)) return void request.socket.destroy()
      kept.add(request.socket)
      // Each waits for the others, so that each has a connection of its own.
      waiting.push(() => response.end('answer'))
      if (kept.size >= 3) for (const go of waiting) go()
    })
    await Promise.all([server.ask(), server.ask(), server.ask()])
    await nextTurn()
    expect(await server.ask('/mcp', true)).toBe('answer')
  })

  it('do not ask again when it breaks after a while: the server was at work', async () => {
    let asked = 0
    await using server = await serve(async (request, response) => {
      asked++
      if (asked === 1) return void response.end('answer')
      await delay(1200)
      request.socket.destroy()
    })
    expect(await server.ask()).toBe('answer')
    await nextTurn()
    await expect(server.ask('/mcp', true)).rejects.toThrow('other side closed')
    expect(asked).toBe(2)
  })

  it('do not ask again when a new one breaks: the server may have done its work', async () => {
    let asked = 0
    await using server = await serve((request) => {
      asked++
      request.socket.destroy()
    })
    await expect(server.ask('/mcp', true)).rejects.toThrow('other side closed')
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
    await expect(server.ask('/mcp', true)).rejects.toThrow()
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
    // Enough time for all of it.
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

describe('connections over https', () => {
  it('take up the session of the one before, which spares the server most of a greeting', async () => {
    const isTakenUp: boolean[] = []
    await using server = await serveOver(secure, (request, response) => {
      if (request.socket instanceof TLSSocket) isTakenUp.push(request.socket.isSessionReused())
      response.setHeader('connection', 'close')
      response.end('answer')
    })
    for (let round = 0; round < 3; round++) await server.ask()
    expect(isTakenUp).toEqual([false, true, true])
  })

  it('are not made to who has another name in its certificate, or none that anybody vouches for', async () => {
    let asked = 0
    const answer: RequestListener = (_request, response) => {
      asked++
      response.end('secure')
    }
    {
      await using server = await serveOver(secure, answer, '127.0.0.1')
      await expect(server.ask()).rejects.toThrow("does not match certificate's altnames")
    }
    setDefaultCACertificates(usual)
    await using server = await serveOver(secure, answer)
    await expect(server.ask()).rejects.toThrow('self-signed certificate')
    setDefaultCACertificates([...usual, testCertificate.cert])
    expect(asked).toBe(0)
  })
})

async function serveOver({ scheme, createServer }: Kind, listener: RequestListener, host = 'localhost') {
  const server = createServer((request, response) => {
    if (request.url === '/other') response.end('other')
    else listener(request, response)
  })
  let connection: Socket | undefined
  // The socket of a request may be wrapped in TLS, and then cannot be reset.
  server.on('connection', (socket) => {
    connection = socket
  })
  server.listen(0, host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP listener has a port')
  const origin = `${scheme}://${host}:${address.port}`
  const connections = new UpstreamConnections(origin)
  const send = (signal: AbortSignal, path = '/mcp', isRepeatable = false) => {
    const url = new URL(path, origin)
    return connections.send({ method: 'POST', url, headers: {}, body: '{}', isRepeatable, signal })
  }
  return {
    send,
    reset: () => connection?.resetAndDestroy(),
    ask: async (path?: string, isRepeatable?: boolean) => (await send(never(), path, isRepeatable)).text(1_000_000),
    [Symbol.asyncDispose]: async () => {
      connections.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
