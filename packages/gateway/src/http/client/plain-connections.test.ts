import { once } from 'node:events'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { MalformedAnswer } from './answer-head.ts'
import { bareServer, toRequest } from '../../../test/support/bare-server.ts'
import { UpstreamConnections } from './upstream-connections.ts'
import { isNotReached } from '@toolhaven/core/net/not-reached'

const answer = (body: string, lines = '') =>
  `HTTP/1.1 200 OK\r\n${lines}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

describe('a connection of our own client', () => {
  it('is used again', async () => {
    await using server = await bareServer(({ socket, connection, turn }) =>
      socket.write(answer(`${connection}.${turn}`)),
    )
    expect(await server.ask()).toBe('1.1')
    expect(await server.ask()).toBe('1.2')
    expect(await Promise.all([server.ask(), server.ask()])).toEqual(['1.3', '2.1'])
    expect(await server.ask()).toMatch(/^1\.4$|^2\.2$/)
  })

  it('is given up when more came than the answer, which is nobody else’s', async () => {
    await using server = await bareServer(({ socket, connection, turn }) =>
      socket.write(`${answer(`${connection}.${turn}`)}${answer('smuggled')}`),
    )
    expect(await server.ask()).toBe('1.1')
    expect(await server.ask()).toBe('2.1')
  })

  it('is given up when the server speaks without being asked', async () => {
    await using server = await bareServer(({ socket, connection, turn }) => {
      socket.write(answer(`${connection}.${turn}`))
    })
    expect(await server.ask()).toBe('1.1')
    const [first] = server.sockets
    first?.write(answer('smuggled'))
    // It is asked before the client can have seen more than what the system already holds.
    await nextTurn()
    expect(await server.ask()).not.toBe('smuggled')
  })

  it.each([
    ['that says so', answer('', 'connection: close\r\n')],
    ['of an older server', 'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n'],
    ['that should have had no body', 'HTTP/1.1 204 No Content\r\ncontent-length: 3\r\n\r\n'],
    ['after which it is not kept long enough', answer('', 'keep-alive: timeout=1\r\n')],
  ])('ends with an answer %s', async (_what, text) => {
    await using server = await bareServer(({ socket }) => socket.write(text))
    await server.ask()
    await server.ask()
    expect(server.asked.map(({ connection }) => connection)).toEqual([1, 2])
  })

  it('ends with an answer that has no other end', async () => {
    await using server = await bareServer(({ socket }) => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it'))
    expect(await server.ask()).toBe('all of it')
    expect(await server.ask()).toBe('all of it')
  })

  it('is closed when nobody has used it for as long as the server says', async () => {
    await using server = await bareServer(({ socket }) => socket.write(answer('', 'keep-alive: timeout=3\r\n')))
    await server.ask()
    const [socket] = server.sockets
    if (socket !== undefined) await once(socket, 'close')
    await server.ask()
    expect(server.asked.map(({ connection }) => connection)).toEqual([1, 2])
  })

  it('is a new one when a kept one broke, even when others are kept', async () => {
    await using server = await bareServer(({ socket, connection, turn }) => {
      if (turn === 1) socket.write(answer(`${connection}`))
      else socket.destroy()
    })
    await Promise.all([server.ask(), server.ask()])
    expect(await server.ask()).toBe('3')
    expect(server.asked).toHaveLength(4)
  })

  it('is a new one for what was never sent, whatever it does: the server reset the kept one before', async () => {
    await using server = await bareServer(({ socket, connection }) => socket.write(answer(`${connection}`)))
    await server.ask({ isRepeatable: false })
    // At the last moment, after the client has checked that the connection is still there.
    setImmediate(() => server.sockets[0]?.resetAndDestroy())
    expect(await server.ask({ isRepeatable: false })).toBe('2')
    expect(server.asked).toHaveLength(2)
  })

  it('is not tried again when a kept one brought the first byte of an answer', async () => {
    await using server = await bareServer(({ socket, turn }) => {
      if (turn === 1) socket.write(answer(''))
      else socket.end('H')
    })
    await server.ask()
    await expect(server.ask()).rejects.toMatchObject({ message: 'other side closed', code: 'ECONNRESET' })
    expect(server.asked).toHaveLength(2)
  })

  it('is not used again when the answer came before all of the question', async () => {
    await using server = await bareServer(({ socket, connection }) => {
      socket.pause()
      socket.write(answer(`${connection}`))
    })
    expect(await server.ask({ body: 'x'.repeat(32 * 1024 * 1024) })).toBe('1')
    expect(await server.ask()).toBe('2')
  })

  it('is closed when an answer is not HTTP, which is told, and not as a broken connection', async () => {
    await using server = await bareServer(({ socket }) =>
      socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`),
    )
    const error: unknown = await server.ask().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(MalformedAnswer)
    expect(error).not.toHaveProperty('code')
    const [socket] = server.sockets
    if (socket !== undefined) await once(socket, 'close')
    expect(server.asked).toHaveLength(1)
  })

  it('is closed when nobody wants the rest of an answer, and the next call has another', async () => {
    await using server = await bareServer(({ socket, connection, turn }) => {
      if (connection === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')
      else socket.write(answer(`${connection}.${turn}`))
    })
    const response = await server.send()
    const [socket] = server.sockets
    response.destroy()
    if (socket !== undefined) await once(socket, 'close')
    expect(await server.ask()).toBe('2.1')
  })

  it('brings an answer that stays as it was while others come', async () => {
    await using server = await bareServer(({ socket, connection }) => socket.write(answer(`${connection}`.repeat(100))))
    const responses = await Promise.all([server.send(), server.send(), server.send()])
    const texts = await Promise.all(responses.map((response) => response.text(100)))
    expect(texts).toEqual(['1', '2', '3'].map((text) => text.repeat(100)))
  })

  it('is of use when it was paused in the last part of an answer', async () => {
    const large = 'x'.repeat(100 * 1024)
    await using server = await bareServer(({ socket, turn }) => socket.write(answer(turn === 1 ? large : `${turn}`)))
    const response = await server.send()
    await expect
      .poll(async () => {
        await Promise.all([server.ask(), server.ask()])
        return server.asked.some(({ connection, turn }) => connection === 1 && turn > 1)
      })
      .toBe(true)
    expect(await response.text(large.length)).toBe(large)
  })

  it('stays of use when the rest of an answer is thrown away, however much had come', async () => {
    const large = 'x'.repeat(1024 * 1024)
    await using server = await bareServer(({ socket, connection, turn }) => {
      socket.write(answer(turn === 1 && connection === 1 ? large : `${connection}.${turn}`))
    })
    const response = await server.send()
    // It is paused by now, because nobody reads.
    await server.ask()
    response.discard()
    const bothOfThem = async () => (await Promise.all([server.ask(), server.ask()])).map((text) => text.slice(0, 2))
    await expect.poll(bothOfThem).toContain('1.')
  })

  it('is given up when what nobody wants has no end', async () => {
    await using server = await bareServer(({ socket }) => {
      socket.write('HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\n\r\n')
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
      const writeOn = () => socket.writable && socket.write(chunk, writeOn)
      writeOn()
    })
    const response = await server.send()
    response.discard()
    await expect.poll(() => server.sockets[0]?.destroyed).toBe(true)
  })

  it('ends with the server’s backend, and so does whoever waits', async () => {
    await using server = await bareServer(() => {})
    const waiting = server.ask().catch((thrown: unknown) => thrown)
    await expect.poll(() => server.asked.length).toBe(1)
    server.connections.close()
    expect(await waiting).toMatchObject({ message: 'the connections to this server are closed' })
    await expect(server.ask()).rejects.toThrow('the connections to this server are closed')
  })

  it('that cannot be made says why', async () => {
    const server = await bareServer(() => {})
    await server[Symbol.asyncDispose]()
    const fresh = new UpstreamConnections(server.origin)
    const error: unknown = await fresh.send(toRequest(server.origin)).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'ECONNREFUSED' })
    expect(isNotReached(error)).toBe(true)
  })
})

describe('a request of our own client', () => {
  it('carries its head and body as they are', async () => {
    await using server = await bareServer(({ socket }) => socket.write(answer('')))
    const port = new URL(server.origin).host
    await server.ask({ body: '{"a":"é€\ud800"}', headers: { accept: '*/*', 'x-name': 'caf\xe9' } })
    await server.ask({ body: '{"a":"€"}', headers: { accept: '*/*' } })
    await server.ask({ method: 'DELETE', body: undefined, headers: {} })
    await server.ask({ method: 'POST', body: undefined, headers: {} })
    const bytes = (text: string) => Buffer.from(text).toString('latin1')
    expect(server.asked.map(({ text }) => text)).toEqual([
      `POST /mcp?a=b HTTP/1.1\r\nhost: ${port}\r\nconnection: keep-alive\r\naccept: */*\r\nx-name: caf\xe9\r\ncontent-length: 16\r\n\r\n${bytes('{"a":"é€\ufffd"}')}`,
      `POST /mcp?a=b HTTP/1.1\r\nhost: ${port}\r\nconnection: keep-alive\r\naccept: */*\r\ncontent-length: 11\r\n\r\n${bytes('{"a":"€"}')}`,
      `DELETE /mcp?a=b HTTP/1.1\r\nhost: ${port}\r\nconnection: keep-alive\r\n\r\n`,
      `POST /mcp?a=b HTTP/1.1\r\nhost: ${port}\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n`,
    ])
  })

  it('says of its own what a caller would say of the connection', async () => {
    await using server = await bareServer(({ socket }) => socket.write(answer('')))
    await server.ask({ headers: { Connection: 'close', 'Content-Length': '99', Host: 'other.example' }, body: '{}' })
    expect(server.asked[0]?.text).toBe(
      'POST /mcp?a=b HTTP/1.1\r\nhost: other.example\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\n{}',
    )
  })

  it.each([
    ['a', 'x\r\ny: z'],
    ['a', 'x\ny'],
    ['a', 'x\ry'],
    ['a', 'x\0'],
    ['a', '\u0120'],
    ['a', '\u010d\u010a'],
    ['host', 'x\r\ny: z'],
    ['connection', 'x\r\ny: z'],
    ['a\r\nb', 'x'],
    ['a: b', 'x'],
    ['a b', 'x'],
    ['', 'x'],
    ['Transfer-Encoding', 'chunked'],
    ['upgrade', 'h2c'],
    ['expect', '100-continue'],
  ])('is not sent with the header %j: %j', async (name, value) => {
    await using server = await bareServer(({ socket }) => socket.write(answer('')))
    await expect(server.ask({ headers: { [name]: value } })).rejects.toThrow(TypeError)
    await expect(server.ask({ headers: { [name]: value } })).rejects.toThrow(TypeError)
    await server.ask()
    expect(server.asked).toHaveLength(1)
  })
})

describe('a unix socket', () => {
  it('is asked whatever the address says, but not through a link', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'plain-'))
    const path = join(folder, 'a.sock')
    await using server = await bareServer(({ socket, turn }) => socket.write(answer(`${turn}`)), path)
    expect(await server.ask()).toBe('1')
    expect(await server.ask()).toBe('2')
    const ask = (place: string) =>
      new UpstreamConnections('http://nobody.example', { socketPath: place }).send(toRequest('http://nobody.example'))
    const missing: unknown = await ask(join(folder, 'none.sock')).catch((thrown: unknown) => thrown)
    expect(isNotReached(missing)).toBe(true)
    await symlink(path, join(folder, 'link.sock'))
    await expect(ask(join(folder, 'link.sock'))).rejects.toThrow('is not a socket')
    await rm(folder, { recursive: true })
  })
})
