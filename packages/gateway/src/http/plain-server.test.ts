import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { addressOf, openServer, type Kind } from './test-servers.ts'
import { BoundedServer } from './bounded-server.ts'
import { PlainServer } from './plain-server.ts'

/** All that a server says to these requests, each in its pieces; the last has it close the connection, if it comes so far. */
async function said(port: number, requests: readonly (readonly string[])[], patience: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  // A reset is an end like any other.
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  for (const pieces of [...requests, [LAST]]) {
    const before = chunks.length
    for (const piece of pieces) {
      socket.write(piece, 'latin1')
      await nextTurn()
      await nextTurn()
    }
    // Some requests await what never comes.
    for (let wait = 0; chunks.length === before && !socket.closed && wait < 20; wait += 1) await delay(2 * patience)
    for (let seen = -1; seen !== chunks.length && !socket.closed; await delay(4 * patience)) seen = chunks.length
  }
  socket.destroy()
  return Buffer.concat(chunks)
    .toString('latin1')
    .replaceAll(/\r\nDate: [^\r]*/g, '')
}

const LAST = 'GET /last HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n'

const MOST_PATIENCE = 64
const MALFORMED = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'

const PATHS = [
  '/',
  '/?a=b',
  '/unread',
  '/stream',
  '/close',
  '/late',
  '/large',
  '/parts',
  'http://here/',
  '*',
  '/ö',
  '/a b',
]
const NAMES = [
  'Accept',
  'x-a',
  'X-A',
  'Cookie',
  'Content-Type',
  'Mcp-Session-Id',
  'Connection',
  'Expect',
  'x(a',
  'Host',
]
const VALUES = [
  'a',
  '',
  ' a b ',
  'keep-alive',
  'close',
  'Keep-Alive',
  '100-continue',
  'a\tb',
  'ö',
  'a\0',
  'a\rb',
  'a\nb: c',
]
const METHODS = ['POST', 'POST', 'POST', 'GET', 'DELETE', 'post', 'PUT']

const often = <T>(usual: T, others: readonly T[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) })

const request = fc
  .record({
    method: often('POST', METHODS),
    path: fc.constantFrom(...PATHS.slice(0, 8)).chain((path) => often(path, PATHS)),
    version: often('HTTP/1.1', ['HTTP/1.0', 'HTTP/2.0', 'HTTP/1.1 ', 'http/1.1']),
    host: often(['host: here'], [[], ['Host: here', 'host: there'], ['HOST:here ']]),
    more: fc.array(
      fc
        .tuple(often('x-b', NAMES), often(': ', [':', ' : ', '', ':\t']), often('c', VALUES))
        .map((line) => line.join('')),
      { maxLength: 3 },
    ),
    body: fc.oneof(fc.string({ maxLength: 40 }), fc.constant('x'.repeat(70_000))),
    length: often('content-length: #', [
      'content-length: #\r\ncontent-length: #',
      'transfer-encoding: chunked',
      'Content-Length:#',
      'content-length: +#',
      'content-length: 1#',
      'content-length: # ',
      'content-length: #, #',
      'content-length: 0x5',
      'content-length: #\r\ntransfer-encoding: chunked',
      '',
    ]),
    lineEnd: often('\r\n', ['\n', '\r', '\r\n ']),
  })
  .map(({ method, path, version, host, more, body, length, lineEnd }) => {
    const bytes = Buffer.from(body).toString('latin1')
    const lines = [`${method} ${path} ${version}`, ...host, ...more, length.replaceAll('#', String(bytes.length))]
    const isChunked = length === 'transfer-encoding: chunked' && bytes.length > 0
    const sent = isChunked ? `${bytes.length.toString(16)}\r\n${bytes}\r\n0\r\n\r\n` : bytes
    return `${lines.filter((line) => line !== '').join(lineEnd)}${lineEnd}\r\n${sent}`
  })

/** Cut anywhere. */
const inPieces = fc.tuple(request, fc.array(fc.nat(300), { maxLength: 2 })).map(([text, cuts]) => {
  const places = [0, ...cuts.map((cut) => cut % (Math.min(text.length, 300) + 1)), text.length]
  const sorted = places.toSorted((one, other) => one - other)
  return sorted.slice(1).map((place, at) => text.slice(sorted[at], place))
})

test('says the same as Node, byte for byte, whatever comes', { timeout: 120_000 }, async () => {
  const ports = await Promise.all([BoundedServer, PlainServer].map((Kind) => portOf(Kind)))
  let plain = 0
  const compare = async (requests: readonly (readonly string[])[], patience = 1): Promise<void> => {
    const [byNode = '', byUs = ''] = await Promise.all(ports.map((port) => said(port, requests, patience)))
    // What is malformed keeps Node from answering what came just before it, but not us.
    const isMalformed = byNode.endsWith(MALFORMED) && byUs.endsWith(MALFORMED)
    const expected = isMalformed ? byNode.slice(0, -MALFORMED.length) : byNode
    const actual = isMalformed ? byUs.slice(0, expected.length) : byUs
    // On a busy machine one of them may not have been done yet.
    if (actual !== expected && patience < MOST_PATIENCE) return compare(requests, patience * 8)
    expect(actual).toBe(expected)
    plain += (byUs.match(/"method":"POST"/g) ?? []).length
  }
  const conversation = fc.array(inPieces, { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(fc.array(conversation, { minLength: 16, maxLength: 16 }), async (conversations) => {
      await Promise.all(conversations.map((requests) => compare(requests)))
    }),
    { numRuns: 25 },
  )
  // Or they would agree about nothing but refusals.
  expect(plain).toBeGreaterThan(200)
})

async function portOf(Kind: Kind): Promise<number> {
  const server = await openServer(Kind, { times: { keepAliveTimeout: 75_000 } })
  return addressOf(server).port
}
