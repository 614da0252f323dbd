import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { connect, createServer, Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PUBLIC, echo, listen, openGate, rules, say, tunnelTo } from '../test/support/scene.ts'
import { EgressGate } from './egress-gate.ts'

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
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
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
    onTestFinished(() => void client.destroy())
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
