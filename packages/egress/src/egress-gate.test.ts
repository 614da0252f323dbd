import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import type { OutboundRules, Sighting } from '@toolhaven/core/ports/egress'
import type { Decision } from './decision.ts'
import { connectOverTcp } from './dial.ts'
import { EgressGate, type EgressGateOptions } from './egress-gate.ts'
import { portOf } from '../test/support/port-of.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

const PUBLIC = '93.184.216.34'
const rules = (change: Partial<OutboundRules>): OutboundRules => ({
  allowHost: [],
  allowPort: [],
  allowAll: false,
  ...change,
})

/** A gate for whose names a table answers, and whose public connections all lead to `server`. */
async function openGate(
  server: Server,
  options: Partial<EgressGateOptions> = {},
  table: Record<string, string[]> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'thv-egress-'))
  const socketPath = join(folder, 'e.sock')
  const decisions: Decision[] = []
  const seen: Sighting[] = []
  const dialled: string[] = []
  const gate = new EgressGate({
    socketPath,
    rules: rules({ allowHost: ['api.example.com'] }),
    onDecision: (decision) => decisions.push(decision),
    onSeen: (sighting) => seen.push(sighting),
    resolve: async (host) => table[host] ?? [PUBLIC],
    connect: (address, port, onread) => {
      dialled.push(`${address}:${port}`)
      return connectOverTcp('127.0.0.1', portOf(server), onread)
    },
    ...options,
  })
  await gate.open()
  ends.push(
    () => rm(folder, { recursive: true }),
    () => gate.close(),
  )
  return { gate, socketPath, decisions, seen, dialled }
}

async function listen<S extends Server>(server: S): Promise<S> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => new Promise((done) => server.close(done)))
  return server
}

/** Everything the gate answers to these bytes until it ends the connection or `until` shows up. */
async function say(socketPath: string, text: string, until = '\u0000'): Promise<string> {
  const socket = connect(socketPath)
  socket.on('error', () => undefined)
  socket.write(text, 'latin1')
  let heard = ''
  const ended = once(socket, 'close')
  const found = new Promise<void>((done) =>
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1')
      if (heard.includes(until)) done()
    }),
  )
  await Promise.race([ended, found])
  socket.destroy()
  return heard
}

const echo = () => listen(createServer({ allowHalfOpen: true }, (socket) => void socket.pipe(socket)))

describe('CONNECT', () => {
  it('reaches a listed host, at the address that was vetted', async () => {
    const server = await echo()
    const { socketPath, dialled, decisions } = await openGate(server, {
      rules: rules({ allowHost: ['api.example.com'], allowPort: [7] }),
    })
    const heard = await say(
      socketPath,
      'CONNECT api.example.com:7 HTTP/1.1\r\nhost: api.example.com:7\r\n\r\nhello',
      'hello',
    )
    expect(heard).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\nhello$/s)
    expect(dialled).toEqual([`${PUBLIC}:7`])
    expect(decisions).toEqual([{ host: 'api.example.com', port: 7, isAllowed: true }])
  })

  it.each([
    ['other.example:443', 'other.example:443 is not in allow_host'],
    ['api.example.com:22', 'api.example.com:22 is not in allow_port'],
    ['127.0.0.1:443', '127.0.0.1:443 is not in allow_host'],
    ['[::1]:443', '[::1]:443 is not in allow_host'],
    ['[::ffff:127.0.0.1]:443', 'is not in allow_host'],
  ])('refuses %s and says why', async (target, why) => {
    const { socketPath, dialled, decisions } = await openGate(await echo())
    const heard = await say(socketPath, `CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`)
    expect(heard).toMatch(/^HTTP\/1\.1 403 /)
    expect(heard).toContain(`blocked: `)
    expect(heard).toContain(why)
    expect(dialled).toEqual([])
    expect(decisions).toEqual([expect.objectContaining({ isAllowed: false, reason: expect.stringContaining(why) })])
  })

  it.each([['127.0.0.1'], ['169.254.169.254'], [PUBLIC, '10.0.0.1'], ['64:ff9b::7f00:1']])(
    'refuses a listed name that leads to %s, without telling where it leads',
    async (...addresses) => {
      const { socketPath, dialled } = await openGate(await echo(), {}, { 'api.example.com': addresses })
      const heard = await say(socketPath, 'CONNECT api.example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n')
      expect(heard).toMatch(/^HTTP\/1\.1 403 /)
      for (const address of addresses) expect(heard).not.toContain(address)
      expect(dialled).toEqual([])
    },
  )

  it('says when a listed host cannot be reached, which is not the same as blocked', async () => {
    const { socketPath, decisions } = await openGate(await echo(), {}, { 'api.example.com': [] })
    expect(await say(socketPath, 'CONNECT api.example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 502 /)
    expect(decisions[0]).toMatchObject({ isAllowed: true, reason: 'api.example.com:443 has no address' })
  })

  it.each([
    ['10.0.0.5', '10.0.0.5:2375'],
    ['10.0.0.5', '[::ffff:10.0.0.5]:2375'],
    ['10.0.0.5', 'build.example:2375'],
    ['engine.example', '10.0.0.5:2375'],
    ['engine.example', 'build.example:2375'],
    ['engine.example', 'engine.example:2375'],
    ['93.184.216.40', '93.184.216.40:2375'],
  ])('never reaches the API of the engine at %s as %s, also where it is listed', async (host, listed) => {
    const table = { 'engine.example': ['10.0.0.5'], 'build.example': ['10.0.0.5'] }
    const options = { rules: rules({ allowHost: [listed] }), engine: { host, port: 2375 } }
    const { socketPath, dialled } = await openGate(await echo(), options, table)
    expect(await say(socketPath, `CONNECT ${listed} HTTP/1.1\r\nhost: ${listed}\r\n\r\n`)).toMatch(
      /403 [^]*is the API of the container engine/,
    )
    expect(dialled).toEqual([])
  })

  it('passes TLS on that names the host of the tunnel', async () => {
    const received: Buffer[] = []
    const server = await listen(createServer((socket) => socket.on('data', (chunk) => received.push(chunk))))
    const { socketPath } = await openGate(server)
    const socket = await tunnelTo(socketPath, 'api.example.com:443')
    connectTls({ socket, servername: 'api.example.com' }).on('error', () => undefined)
    await expect.poll(() => received.length).toBeGreaterThan(0)
    expect(received[0]?.[0]).toBe(0x16)
  })

  it.each([
    ['TLS for another name', 'evil.example'],
    ['TLS without a name', undefined],
  ])('cuts a tunnel with %s in it before a byte gets out', async (_what, servername) => {
    let received = 0
    const server = await listen(createServer((socket) => socket.on('data', (chunk) => (received += chunk.length))))
    const { socketPath, decisions } = await openGate(server)
    const socket = await tunnelTo(socketPath, 'api.example.com:443')
    const closed = once(socket, 'close')
    connectTls({ socket, ...(servername !== undefined && { servername }) }).on('error', () => undefined)
    await closed
    expect(received).toBe(0)
    expect(decisions.at(-1)).toMatchObject({ isAllowed: false, reason: expect.stringContaining('inside a tunnel to') })
  })

  it('cuts a tunnel to the port of the web that is not TLS', async () => {
    let received = 0
    const server = await listen(createServer((socket) => socket.on('data', (chunk) => (received += chunk.length))))
    const { socketPath } = await openGate(server)
    const heard = await say(socketPath, 'CONNECT api.example.com:443 HTTP/1.1\r\nhost: x\r\n\r\nGET / HTTP/1.1\r\n\r\n')
    expect(heard).toMatch(/^HTTP\/1\.1 200 [^\r]*\r\n\r\n$/)
    expect(received).toBe(0)
  })

  it('carries a server that speaks first', async () => {
    const server = await listen(createServer((socket) => void socket.end('220 ready\r\n')))
    const { socketPath } = await openGate(server, { rules: rules({ allowHost: ['api.example.com'], allowPort: [25] }) })
    expect(await say(socketPath, 'CONNECT api.example.com:25 HTTP/1.1\r\nhost: x\r\n\r\n', 'ready')).toContain(
      '220 ready',
    )
  })

  it('carries 8 MB each way unchanged', async () => {
    const { socketPath } = await openGate(await echo(), {
      rules: rules({ allowHost: ['api.example.com'], allowPort: [7] }),
    })
    const socket = await tunnelTo(socketPath, 'api.example.com:7')
    const sent = Buffer.alloc(8 * 1024 * 1024, 'abcdefg')
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.end(sent)
    await once(socket, 'end')
    expect(Buffer.concat(chunks).equals(sent)).toBe(true)
  })
})

describe('a plain request', () => {
  const web = async () => {
    const requests: { method?: string; url?: string; headers: Record<string, unknown>; body: string }[] = []
    const server = await listen(
      createHttpServer((request, response) => {
        let body = ''
        request.on('data', (chunk) => (body += String(chunk)))
        request.on('end', () => {
          requests.push({
            ...(request.method && { method: request.method }),
            ...(request.url && { url: request.url }),
            headers: request.headers,
            body,
          })
          response.writeHead(201, { 'x-own': 'yes', connection: 'close' }).end('fine')
        })
      }),
    )
    return { server, requests }
  }

  it('is passed on with its path, its body and its own headers only', async () => {
    const { server, requests } = await web()
    const { socketPath, dialled } = await openGate(server)
    const heard = await say(
      socketPath,
      'POST http://api.example.com/a?b=1 HTTP/1.1\r\nHost: api.example.com\r\nProxy-Authorization: x\r\nConnection: x-hop\r\nX-Hop: 1\r\nX-End: 2\r\nContent-Length: 4\r\n\r\nbody',
      'fine',
    )
    expect(heard).toMatch(/^HTTP\/1\.1 201 /)
    expect(heard).toContain('x-own: yes')
    expect(dialled).toEqual([`${PUBLIC}:80`])
    expect(requests).toEqual([
      {
        method: 'POST',
        url: '/a?b=1',
        body: 'body',
        headers: expect.objectContaining({ host: 'api.example.com', 'x-end': '2' }),
      },
    ])
    expect(requests[0]?.headers).not.toHaveProperty('x-hop')
    expect(requests[0]?.headers).not.toHaveProperty('proxy-authorization')
  })

  it('is refused for a host that is not listed', async () => {
    const { server, requests } = await web()
    const { socketPath } = await openGate(server)
    const heard = await say(socketPath, 'GET http://other.example/ HTTP/1.1\r\nHost: other.example\r\n\r\n')
    expect(heard).toMatch(/^HTTP\/1\.1 403 /)
    expect(heard).toContain('blocked: other.example:80 is not in allow_host')
    expect(requests).toEqual([])
  })

  const GET = 'GET http://api.example.com/ HTTP/1.1\r\n'
  const HOST = 'Host: api.example.com\r\n'
  it.each([
    ['origin form', `GET / HTTP/1.1\r\n${HOST}\r\n`],
    ['https in absolute form', `GET https://api.example.com/ HTTP/1.1\r\n${HOST}\r\n`],
    ['another host in Host', `${GET}Host: other.example\r\n\r\n`],
    ['two Host headers', `${GET}${HOST}Host: other.example\r\n\r\n`],
    ['no Host header', `${GET}\r\n`],
    ['a user in the target', `GET http://u@api.example.com/ HTTP/1.1\r\n${HOST}\r\n`],
    ['a backslash in the target', `GET http://api.example.com\\@evil.example/ HTTP/1.1\r\n${HOST}\r\n`],
    ['an upgrade', `${GET}${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
    [
      'an upgrade to HTTP/2',
      `${GET}${HOST}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n\r\n`,
    ],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a length and chunks', `${GET}${HOST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['two lengths', `${GET}${HOST}Content-Length: 4\r\nContent-Length: 5\r\n\r\nbody`],
    ['an unknown transfer coding', `${GET}${HOST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['a space before the colon', `${GET}${HOST}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`],
    ['a folded header', `${GET}${HOST}X-A: 1\r\n b\r\n\r\n`],
    ['bare line feeds', `GET http://api.example.com/ HTTP/1.1\nHost: api.example.com\n\n`],
    ['64 KB of headers', `${GET}${HOST}X-A: ${'a'.repeat(65_536)}\r\n\r\n`],
    ['SOCKS', '\x05\x01\x00'],
  ])('with %s is refused and nothing is dialled', async (_what, text) => {
    const { server, requests } = await web()
    const { socketPath, dialled } = await openGate(server)
    const heard = await say(socketPath, text)
    expect(heard).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect(dialled).toEqual([])
    expect(requests).toEqual([])
  })

  it('leaves a pipelined second request to be judged by itself', async () => {
    const { server, requests } = await web()
    const { socketPath, decisions } = await openGate(server)
    await say(
      socketPath,
      `${GET}${HOST}\r\nGET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n`,
      'blocked: evil',
    )
    expect(requests.map(({ url }) => url)).toEqual(['/'])
    expect(decisions.map(({ host, isAllowed }) => `${host} ${isAllowed}`)).toEqual(
      expect.arrayContaining(['evil.example false']),
    )
  })
})

describe('the gate', () => {
  it('keeps its socket to its user', async () => {
    const { socketPath } = await openGate(await echo())
    expect((await stat(socketPath)).mode & 0o777).toBe(0o600)
  })

  it('refuses a socket path that the system would cut', async () => {
    const gate = new EgressGate({
      socketPath: `/tmp/${'x'.repeat(120)}`,
      rules: rules({}),
      onDecision: () => undefined,
      resolve: async () => [],
    })
    await expect(gate.open()).rejects.toThrow('longer than 107 bytes')
  })

  it('applies changed rules to the next connection', async () => {
    const { gate, socketPath } = await openGate(await echo())
    gate.rules = rules({ allowHost: ['api.example.com'], allowPort: [7] })
    expect(await say(socketPath, 'CONNECT api.example.com:7 HTTP/1.1\r\nhost: x\r\n\r\n', '\r\n\r\n')).toContain(
      ' 200 ',
    )
  })

  it('holds on to no more connections than it may', async () => {
    const { socketPath } = await openGate(await echo(), { maxConnections: 3 })
    const sockets = Array.from({ length: 8 }, () => connect(socketPath).on('error', () => undefined))
    ends.push(async () => sockets.forEach((socket) => socket.destroy()))
    await expect.poll(() => sockets.filter((socket) => socket.destroyed || socket.readableEnded).length).toBe(5)
  })

  it('dials no more at a time than it holds connections, however many requests one of them brings', async () => {
    let dials = 0
    const connectNever = () => {
      dials += 1
      return new Socket()
    }
    const options = { maxConnections: 3, connect: connectNever, connectMs: 60_000, rules: rules({ allowAll: true }) }
    const { socketPath, seen } = await openGate(await echo(), options)
    const client = connect(socketPath).on('error', () => undefined)
    ends.push(async () => client.destroy())
    client.write('GET http://api.example.com/ HTTP/1.1\r\nhost: api.example.com\r\n\r\n'.repeat(20))
    await expect.poll(() => seen.length).toBe(17)
    expect(dials).toBe(3)
  })

  it('ends what is under way when it closes, and leaves no socket behind', async () => {
    const { gate, socketPath } = await openGate(await echo(), {
      rules: rules({ allowHost: ['api.example.com'], allowPort: [7] }),
    })
    const socket = await tunnelTo(socketPath, 'api.example.com:7')
    const ended = once(socket.resume(), 'end')
    await gate.close()
    await ended
    await expect(stat(socketPath)).rejects.toThrow('ENOENT')
  })
})

describe('what is seen of the way out', () => {
  const everything = { rules: rules({ allowAll: true }) }
  const sink = () => listen(createServer((socket) => void socket.resume()))
  const seenOf = async (options: Partial<EgressGateOptions>, talk: (socketPath: string) => Promise<unknown>) => {
    const { socketPath, seen } = await openGate(await sink(), options, { 'in.example': ['10.0.0.1'], 'no.example': [] })
    await talk(socketPath)
    await expect.poll(() => seen.length).toBeGreaterThan(0)
    return seen
  }
  const tls = (target: string, servername: string) => async (socketPath: string) => {
    const socket = await tunnelTo(socketPath, target)
    connectTls({ socket, servername }).on('error', () => undefined)
  }
  const ask =
    (target: string, then = '') =>
    (socketPath: string) => {
      const text = `CONNECT ${target} HTTP/1.1\r\nhost: x\r\n\r\n${then}`
      return say(socketPath, text, '\r\n\r\n')
    }

  it('is the host and the port of TLS, once for each connection', async () => {
    expect(await seenOf(everything, tls('api.example.com:443', 'api.example.com'))).toEqual([
      { host: 'api.example.com', port: 443, outcome: 'reached', speaks: 'tls' },
    ])
  })

  it('is TLS for another name, which passes only while everything does', async () => {
    expect(await seenOf(everything, tls('api.example.com:443', 'front.example'))).toEqual([
      {
        ...{ host: 'api.example.com', port: 443, outcome: 'unfit', speaks: 'tls' },
        reason: 'TLS for front.example inside a tunnel to api.example.com:443',
      },
    ])
    expect(await seenOf({}, tls('api.example.com:443', 'front.example'))).toMatchObject([{ outcome: 'refused' }])
  })

  it('is another protocol, which passes on ports that are listed', async () => {
    const spoken = { host: 'api.example.com', port: 80, speaks: 'other' }
    expect(await seenOf(everything, ask('api.example.com:80', 'HELLO'))).toEqual([{ ...spoken, outcome: 'reached' }])
    expect(await seenOf({}, ask('api.example.com:80', 'HELLO'))).toMatchObject([{ ...spoken, outcome: 'unlisted' }])
    expect(await seenOf(everything, ask('api.example.com:443', 'HELLO'))).toMatchObject([{ outcome: 'unfit' }])
  })

  it('is the path of the first request in a tunnel, without its query', async () => {
    const get = 'GET /a/b?key=1 HTTP/1.1\r\nHost: api.example.com\r\n\r\n'
    expect(await seenOf(everything, ask('api.example.com:80', get))).toEqual([
      { host: 'api.example.com', port: 80, outcome: 'reached', speaks: 'http-tunnel', path: '/a/b' },
    ])
    expect(await seenOf({}, ask('api.example.com:80', get))).toMatchObject([{ outcome: 'unlisted', path: '/a/b' }])
  })

  it('is the path of a plain request, without its query', async () => {
    const { socketPath, seen } = await openGate(
      await listen(createHttpServer((_request, response) => void response.end('fine'))),
      everything,
    )
    const heads = 'Host: web.example\r\nConnection: close\r\n\r\n'
    await say(socketPath, `GET http://web.example/a/b?key=1 HTTP/1.1\r\n${heads}`, 'fine')
    expect(seen).toEqual([{ host: 'web.example', port: 80, outcome: 'reached', speaks: 'http', path: '/a/b' }])
  })

  it.each([
    ['a host that is not listed', {}, 'other.example:443', 'unlisted', 'other.example:443 is not in allow_host'],
    ['a port that is not listed', {}, 'api.example.com:22', 'unlisted', 'api.example.com:22 is not in allow_port'],
    ['a private network', everything, 'in.example:443', 'refused', 'in.example:443 does not lead to a public address'],
    ['nobody', everything, 'no.example:443', 'unreachable', 'no.example:443 has no address'],
  ])('is an attempt at %s', async (_what, options, target, outcome, reason) => {
    expect(await seenOf(options, ask(target))).toMatchObject([{ outcome, reason }])
  })

  it('is a tunnel that nothing went through, when it ends', async () => {
    expect(await seenOf(everything, ask('api.example.com:25'))).toEqual([
      { host: 'api.example.com', port: 25, outcome: 'reached' },
    ])
  })

  it('takes nothing from 8 MB each way that nobody holds', async () => {
    const { socketPath } = await openGate(await echo(), everything)
    const socket = await tunnelTo(socketPath, 'api.example.com:7')
    const sent = Buffer.alloc(8 * 1024 * 1024, 'abcdefg')
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.end(sent)
    await once(socket, 'end')
    expect(Buffer.concat(chunks).equals(sent)).toBe(true)
  })
})

async function tunnelTo(socketPath: string, target: string): Promise<Socket> {
  const socket = connect({ path: socketPath, allowHalfOpen: true })
  socket.on('error', () => undefined)
  socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`)
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
  return socket
}
