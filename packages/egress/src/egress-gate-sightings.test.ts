import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { echo, listen, openGate, rules, say, tunnelTo } from '../test/support/scene.ts'
import type { EgressGateOptions } from './egress-gate.ts'

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
