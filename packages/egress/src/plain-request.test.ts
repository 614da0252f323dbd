import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { connectOverTcp } from './dial.ts'
import { EgressGate } from './egress-gate.ts'
import { portOf } from '../test/support/port-of.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

/** What a server without any idea of HTTP gets of a request that was sent through the proxy. */
async function passedOn(request: string): Promise<{ got: string; heard: string }> {
  let got = ''
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      got += bytes.toString('latin1')
      if (/\r\n\r\n(.*end|0\r\n\r\n|$)/s.test(got)) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const folder = await mkdtemp(join(tmpdir(), 'thv-plain-'))
  const socketPath = join(folder, 'p')
  const gate = new EgressGate({
    ...{ socketPath, rules: { allowHost: ['api.example'], allowPort: [], allowAll: false } },
    onDecision: () => undefined,
    resolve: async () => ['93.184.216.34'],
    connect: (_address, _port, onread) => connectOverTcp('127.0.0.1', portOf(server), onread),
  })
  await gate.open()
  ends.push(
    () => rm(folder, { recursive: true }),
    () => server.close(),
    () => gate.close(),
  )
  const client = connect(socketPath)
  client.write(request, 'latin1')
  const heard = await text(client)
  return { got, heard }
}

/** How a server takes a request apart: the body is as long as its length or its chunks say, and the rest is another request. */
function restOf(got: string): string {
  const [head = '', ...others] = got.split('\r\n\r\n')
  const body = others.join('\r\n\r\n')
  const [, length] = /^content-length: (\d+)$/im.exec(head) ?? []
  if (length !== undefined) return body.slice(Number(length))
  if (!/^transfer-encoding: chunked$/im.test(head)) return body
  let left = body
  for (;;) {
    const [line = '', digits = ''] = /^([0-9a-f]+)\r\n/i.exec(left) ?? []
    const size = Number.parseInt(digits, 16)
    left = left.slice(line.length + size + 2)
    if (!(size > 0)) return left
  }
}

const INNER = 'GET /inner HTTP/1.1\r\nHost: front.example\r\n\r\nend'
const CHUNKS = `${INNER.length.toString(16)}\r\n${INNER}\r\n0\r\n\r\n`
const head = (method: string, ...lines: string[]) =>
  [`${method} http://api.example/ HTTP/1.1`, 'Host: api.example', ...lines, '', ''].join('\r\n')

describe('the body of a plain request', () => {
  it.each(['GET', 'DELETE', 'OPTIONS', 'HEAD', 'POST', 'PUT', 'QUERY'])(
    'of %s is never another request, in chunks or with a length',
    async (method) => {
      const chunked = await passedOn(`${head(method, 'Connection: close', 'Transfer-Encoding: chunked')}${CHUNKS}`)
      expect(chunked.got).toContain(INNER)
      expect(restOf(chunked.got)).toBe('')
      const sized = await passedOn(`${head(method, 'Connection: close', `Content-Length: ${INNER.length}`)}${INNER}`)
      expect(sized.got).toContain(INNER)
      expect(restOf(sized.got)).toBe('')
    },
  )

  it.each(['Content-Length', 'Transfer-Encoding', 'Host'])(
    'keeps its %s, whatever Connection says of it',
    async (name) => {
      const framing = name === 'Transfer-Encoding' ? 'Transfer-Encoding: chunked' : `Content-Length: ${INNER.length}`
      const body = name === 'Transfer-Encoding' ? CHUNKS : INNER
      const { got } = await passedOn(`${head('GET', `Connection: close, ${name}`, framing)}${body}`)
      expect(got).toContain(INNER)
      expect(restOf(got)).toBe('')
      expect(got).toMatch(/^Host: api\.example$/m)
    },
  )

  it.each([
    ['a length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked']],
    ['chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 4']],
    ['chunks twice', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked']],
    ['chunks in another coding', ['Transfer-Encoding: gzip, chunked']],
    ['chunks behind a tab', ['Transfer-Encoding:\tchunked\v']],
    ['a folded coding', ['Transfer-Encoding:', ' chunked']],
    ['a folded length', ['X-A: 1', ' Content-Length: 4', 'Content-Length: 0']],
    ['a length that is not a number', ['Content-Length: 4, 4']],
    ['a length with a sign', ['Content-Length: +4']],
    ['a bare line feed', ['X-A: 1\nTransfer-Encoding: chunked']],
    ['a bare carriage return', ['X-A: 1\rTransfer-Encoding: chunked']],
    ['NUL', ['X-A: 1\u0000']],
  ])('with %s is refused, and nothing of it is passed on', async (_what, lines) => {
    const { got, heard } = await passedOn(`${head('POST', 'Connection: close', ...lines)}${CHUNKS}`)
    expect(heard).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect(got).toBe('')
  })
})
