import { once } from 'node:events'
import { createServer } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { portOf } from '../test/support/port-of.ts'
import { FirstBytesReader } from './server-name.ts'

const readServerName = (bytes: Buffer) => new FirstBytesReader().take(bytes)

/** The first bytes that Node's own TLS client sends. */
async function helloFor(servername: string | undefined): Promise<Buffer> {
  await using server = Object.assign(createServer(), {
    async [Symbol.asyncDispose]() {
      await new Promise((done) => server.close(done))
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connectTls({
    host: '127.0.0.1',
    port: portOf(server),
    ...(servername !== undefined && { servername }),
  })
  client.on('error', () => undefined)
  const [socket] = await once(server, 'connection')
  const [bytes] = await once(socket, 'data')
  client.destroy()
  socket.destroy()
  return bytes
}

/** With its length in two bytes before it. */
function sized(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}

describe('the first bytes of a connection', () => {
  it('reads the name a real client asks for', async () => {
    expect(readServerName(await helloFor('api.example.com'))).toEqual({ kind: 'tls', serverName: 'api.example.com' })
  })

  it('says when a client names nobody', async () => {
    expect(readServerName(await helloFor(undefined))).toEqual({ kind: 'tls', serverName: undefined })
  })

  it('reads a name in capitals as the same name', async () => {
    expect(readServerName(await helloFor('API.Example.COM'))).toEqual({ kind: 'tls', serverName: 'api.example.com' })
  })

  it('asks for more until the whole message has come, and never guesses', async () => {
    const hello = await helloFor('api.example.com')
    for (let have = 0; have < hello.length; have += 1)
      expect(readServerName(hello.subarray(0, have))).toEqual({ kind: 'more' })
  })

  it('puts a message together that was cut into many records', async () => {
    const hello = await helloFor('api.example.com')
    const message = hello.subarray(5, 5 + hello.readUInt16BE(3))
    const records = Array.from({ length: Math.ceil(message.length / 7) }, (_, at) => {
      const part = message.subarray(7 * at, 7 * at + 7)
      return Buffer.concat([Buffer.from([0x16, 3, 1, 0, part.length]), part])
    })
    expect(readServerName(Buffer.concat(records))).toEqual({ kind: 'tls', serverName: 'api.example.com' })
  })

  it('reads a long message in records of one byte, each in a chunk of its own', () => {
    const name = 'api.example.com'
    const extension = sized(Buffer.concat([Buffer.from([0]), sized(Buffer.from(name))]))
    const padding = Buffer.alloc(16_000)
    const extensions = [Buffer.from([0, 0]), sized(extension), Buffer.from([0, 21]), sized(padding)]
    const hello = Buffer.concat([Buffer.alloc(34), Buffer.from([0, 0, 0, 0]), sized(Buffer.concat(extensions))])
    const message = Buffer.concat([Buffer.from([1, 0]), sized(hello)])
    const reader = new FirstBytesReader()
    const seen = [...message].map((byte) => reader.take(Buffer.from([0x16, 3, 1, 0, 1, byte])))
    expect(seen.pop()).toEqual({ kind: 'tls', serverName: name })
    expect(new Set(seen.map(({ kind }) => kind))).toEqual(new Set(['more']))
    expect(reader.bytes).toHaveLength(6 * message.length)
  })

  it.each(['GET / HTTP/1.1\r\n', 'SSH-2.0-x\r\n', 'PRI * HTTP/2.0\r\n', '\x05\x01\x00'])(
    'takes %j for no TLS',
    (text) => {
      expect(readServerName(Buffer.from(text, 'latin1'))).toEqual({ kind: 'not-tls' })
    },
  )

  it('never throws, whatever one byte of a real message is changed to', async () => {
    const hello = await helloFor('api.example.com')
    fc.assert(
      fc.property(fc.nat(hello.length - 1), fc.nat(255), (at, value) => {
        const changed = Buffer.from(hello)
        changed[at] = value
        expect(['more', 'not-tls', 'tls']).toContain(readServerName(changed).kind)
      }),
    )
  })
})
