import { fc } from '@toolhaven/testing/properties'

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
  'Set-Cookie',
  'Proxy-Connection',
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

/** Requests on one connection, each in the pieces in which it is sent. */
export type Conversation = readonly (readonly string[])[]

export const madeConversation: fc.Arbitrary<Conversation> = fc.array(inPieces, { minLength: 1, maxLength: 4 })
