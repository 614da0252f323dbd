import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { connectOverTcp } from './dial.ts'
import type { EgressGateOptions } from './egress-gate.ts'
import { portOf } from '../test/support/port-of.ts'
import { PUBLIC, echo, listen, openDirectGate, rules } from '../test/support/scene.ts'

const LIST = { rules: rules({ allowHost: ['api.example', 'db.example:5432'] }) }
const EVERYTHING = { rules: rules({ allowAll: true }) }

/** A connection as a forwarder makes it. */
function dialThrough(direct: string, line: string): Socket {
  const socket = connect({ path: direct, allowHalfOpen: true })
  socket.on('error', () => undefined)
  socket.write(line, 'latin1')
  return socket
}

/** All that comes back for this line and these bytes. */
async function say(direct: string, line: string, said = ''): Promise<string> {
  const socket = dialThrough(direct, `${line}\n`)
  socket.end(said)
  return (await buffer(socket).catch(() => Buffer.alloc(0))).toString('latin1')
}

describe('a direct connection', () => {
  it('to an address of the map reaches the name it stands for, at the address that was vetted', async () => {
    const { direct, dialled, decisions, seen, addresses } = await openDirectGate(await echo(), LIST, ['db.example'])
    expect(await say(direct, `${addresses['db.example']} 5432`, 'hello')).toBe('hello')
    expect(dialled).toEqual([`${PUBLIC}:5432`])
    expect(decisions).toEqual([{ host: 'db.example', port: 5432, isAllowed: true }])
    expect(seen).toEqual([{ host: 'db.example', port: 5432, outcome: 'reached', speaks: 'other' }])
  })

  it.each([
    ['a name that is no longer listed', 'gone.example', 443, 'gone.example:443 is not in allow_host'],
    ['another port of a listed name', 'db.example', 443, 'db.example:443 is not in allow_port'],
  ])('to %s is refused', async (_what, name, port, reason) => {
    const { direct, dialled, seen, addresses } = await openDirectGate(await echo(), LIST, [name])
    expect(await say(direct, `${addresses[name]} ${port}`, 'hello')).toBe('')
    expect(dialled).toEqual([])
    expect(seen).toEqual([{ host: name, port, outcome: 'unlisted', reason }])
  })

  it.each([LIST, EVERYTHING])(
    'to an address of the map’s range that stands for no name is refused',
    async (options) => {
      const { direct, dialled, decisions, seen } = await openDirectGate(await echo(), options, ['api.example'])
      for (const address of ['198.18.0.0', '198.18.1.1', '198.19.255.255', '::ffff:198.18.1.1'])
        expect(await say(direct, `${address} 5432`, 'hello')).toBe('')
      expect(dialled).toEqual([])
      expect(decisions.map(({ isAllowed }) => isAllowed)).toEqual([false, false, false, false])
      expect(seen.map(({ outcome }) => outcome)).toEqual(['refused', 'refused', 'refused', 'refused'])
    },
  )

  it.each([
    ['a public address', '93.184.216.35', 'is not in allow_host'],
    ['this machine', '127.0.0.1', 'is not in allow_host'],
    ['metadata', '169.254.169.254', 'is not in allow_host'],
  ])('to %s is judged as an address, whatever name TLS says', async (_what, address, why) => {
    const { direct, dialled, seen } = await openDirectGate(await echo(), LIST, ['api.example'])
    const socket = dialThrough(direct, `${address} 443\n`)
    connectTls({ socket, servername: 'api.example' }).on('error', () => undefined)
    await once(socket, 'close')
    expect(dialled).toEqual([])
    expect(seen).toMatchObject([{ host: address, port: 443, reason: expect.stringContaining(why) }])
  })

  it.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fd00::1', '::ffff:10.0.0.1', '0.0.0.0'])(
    'to %s is refused where every public host is allowed',
    async (address) => {
      const { direct, dialled } = await openDirectGate(await echo(), EVERYTHING)
      expect(await say(direct, `${address} 5432`, 'hello')).toBe('')
      expect(dialled).toEqual([])
    },
  )

  it('to a public address passes where everything does', async () => {
    const { direct, dialled } = await openDirectGate(await echo(), EVERYTHING)
    expect(await say(direct, '2606:4700::1111 5432', 'hello')).toBe('hello')
    expect(dialled).toEqual(['2606:4700::1111:5432'])
  })

  it('carries TLS for its own name only, where a list is in force', async () => {
    let received = 0
    const sink = await listen(createServer((socket) => void socket.on('data', (chunk) => (received += chunk.length))))
    const { direct, addresses, decisions } = await openDirectGate(sink, LIST, ['api.example'])
    const shake = (servername: string) => {
      const socket = dialThrough(direct, `${addresses['api.example']} 443\n`)
      connectTls({ socket, servername }).on('error', () => undefined)
      return socket
    }
    await once(shake('front.example'), 'close')
    expect(received).toBe(0)
    expect(decisions.at(-1)?.reason).toContain('TLS for front.example inside a tunnel to api.example:443')
    const socket = shake('api.example')
    await expect.poll(() => received).toBeGreaterThan(0)
    socket.destroy()
  })

  it('reaches localhost at the listed port by either of its addresses, and the daemon’s own port never', async () => {
    const options = {
      rules: rules({ allowHost: ['localhost:5432', 'localhost:8080'], allowAll: true }),
      isOwnPort: (port: number) => port === 8080,
    }
    const { direct, dialled, decisions } = await openDirectGate(await echo(), options)
    expect(await say(direct, '127.0.0.1 5432', 'hello')).toBe('hello')
    expect(await say(direct, '::1 5432', 'hello')).toBe('hello')
    expect(dialled).toEqual(['127.0.0.1:5432', '127.0.0.1:5432'])
    expect(await say(direct, '127.0.0.1 8080', 'hello')).toBe('')
    expect(await say(direct, '127.0.0.1 5433', 'hello')).toBe('')
    expect(dialled).toHaveLength(2)
    expect(decisions.at(-2)?.reason).toContain('is a port of Toolhaven')
  })

  it('carries a server that speaks first, and 8 MB each way unchanged, also when one side ends early', async () => {
    const { direct, addresses } = await openDirectGate(await echo(), LIST, ['db.example'])
    const sent = Buffer.alloc(8 * 1024 * 1024, 'abcdefg')
    const socket = dialThrough(direct, `${addresses['db.example']} 5432\n`)
    socket.end(sent)
    expect((await buffer(socket)).equals(sent)).toBe(true)
    const greeter = await listen(createServer((each) => void each.end('220 ready\r\n')))
    const second = await openDirectGate(greeter, LIST, ['db.example'])
    expect(await text(dialThrough(second.direct, `${second.addresses['db.example']} 5432\n`))).toBe('220 ready\r\n')
  })

  it('gives up a program that went while its place was dialled', async () => {
    const server = await echo()
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<readonly string[]>()
    const resolve = () => {
      asked.resolve()
      return answer.promise
    }
    const remotes: Socket[] = []
    const connectTo: EgressGateOptions['connect'] = (_address, _port, onread) => {
      const remote = connectOverTcp('127.0.0.1', portOf(server), onread)
      remotes.push(remote)
      return remote
    }
    const { direct, addresses } = await openDirectGate(server, { ...LIST, resolve, connect: connectTo }, ['db.example'])
    const socket = dialThrough(direct, `${addresses['db.example']} 5432\n`)
    await asked.promise
    socket.destroy()
    answer.resolve([PUBLIC])
    await expect.poll(() => remotes[0]?.destroyed).toBe(true)
  })
})

describe('plain HTTP to a listed name', () => {
  const web = async () => {
    const asked: string[] = []
    const server = await listen(
      createHttpServer((request, response) => {
        asked.push(`${request.headers.host} ${request.url}`)
        response.end('fine')
      }),
    )
    return { asked, ...(await openDirectGate(server, LIST, ['api.example'])) }
  }
  const get = (host: string, path = '/', rest = '') => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${rest}\r\n`

  it('passes request by request, as through the proxy', async () => {
    const { direct, addresses, asked, seen, dialled } = await web()
    const both = get('api.example', '/a?key=1') + get('api.example', '/b', 'Connection: close\r\n')
    const socket = dialThrough(direct, `${addresses['api.example']} 80\n${both}`)
    const heard = await text(socket)
    expect(heard.match(/fine/g)).toHaveLength(2)
    expect(asked).toEqual(['api.example /a?key=1', 'api.example /b'])
    expect(dialled).toEqual([`${PUBLIC}:80`, `${PUBLIC}:80`])
    expect(seen).toContainEqual({ host: 'api.example', port: 80, outcome: 'reached', speaks: 'http', path: '/a' })
  })

  it.each([
    ['another host in Host', get('front.example')],
    ['two Host headers', get('api.example', '/', 'Host: front.example\r\n')],
    ['another port in Host', get('api.example:8080')],
    ['absolute form', get('api.example', 'http://front.example/')],
    ['CONNECT', 'CONNECT front.example:443 HTTP/1.1\r\nHost: front.example:443\r\n\r\n'],
    ['an upgrade', get('api.example', '/', 'Connection: Upgrade\r\nUpgrade: websocket\r\n')],
    ['another protocol', 'SSH-2.0-x\r\n'],
    ['TLS', '\x16\x03\x01\x00\x05hello'],
  ])('with %s is refused and nothing is dialled', async (_what, said) => {
    const { direct, addresses, asked, dialled } = await web()
    expect(await say(direct, `${addresses['api.example']} 80`, said)).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect([asked, dialled]).toEqual([[], []])
  })
})

describe('the line before a direct connection', () => {
  it.each([
    ['an empty one', '\n'],
    ['one without an end', 'a'.repeat(60)],
    ['one that is too long', `${'1'.repeat(60)} 443\n`],
    ['a name', 'api.example 443\n'],
    ['what follows it at once with no port', '93.184.216.34\nGET / HTTP/1.1\r\n'],
    ['HTTP', 'GET / HTTP/1.1\r\nHost: api.example\r\n\r\n'],
    ['two spaces', '93.184.216.34  443\n'],
    ['NUL', '93.184.216.34 443\u0000\n'],
  ])('%s ends it', async (_what, line) => {
    const { direct, dialled } = await openDirectGate(await echo(), EVERYTHING)
    const socket = dialThrough(direct, line)
    expect(await text(socket)).toBe('')
    expect(dialled).toEqual([])
  })

  it('may come byte by byte', async () => {
    const { direct } = await openDirectGate(await echo(), EVERYTHING)
    const socket = connect({ path: direct, allowHalfOpen: true })
    for (const byte of '93.184.216.34 5432\nhello') {
      socket.write(byte)
      await new Promise(setImmediate)
    }
    socket.end()
    expect(await text(socket)).toBe('hello')
  })

  it('of any bytes at all dials nothing that it does not name', async () => {
    const { direct, dialled } = await openDirectGate(await echo(), LIST)
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 80 }), async (bytes) => {
        const socket = connect(direct)
        socket.on('error', () => undefined)
        socket.end(bytes)
        await once(socket.resume(), 'close')
      }),
      { numRuns: 30 },
    )
    expect(dialled).toEqual([])
  })
})
