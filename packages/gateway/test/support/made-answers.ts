import { fc } from '@toolhaven/testing/properties'

/** Parts of answers, most of them valid. */
const statusLine = fc.oneof(
  { weight: 20, arbitrary: fc.constant('HTTP/1.1 200 OK') },
  {
    weight: 10,
    arbitrary: fc.constantFrom(
      'HTTP/1.1 204 No Content',
      'HTTP/1.1 304 Not Modified',
      'HTTP/1.1 404 ',
      'HTTP/1.1 500',
      'HTTP/1.0 200 OK',
      'HTTP/1.1 999 caf\xe9\tau lait',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'HTTP/1.1 101 Switching',
      'HTTP/2.0 200 OK',
      'HTTP/0.9 200 OK',
      'HTTP/1.2 200 OK',
      'http/1.1 200 OK',
      'HTTP/1.1 099 Low',
      'HTTP/1.1  200 OK',
      'HTTP/1.1 20 OK',
      'HTTP/1.1 2000 OK',
      'HTTP/1.1 200OK',
      'ICY 200 OK',
      '',
    ),
  },
)

const token = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_!~'), minLength: 1, maxLength: 8 })
const name = fc.oneof(
  { weight: 15, arbitrary: token },
  {
    weight: 30,
    arbitrary: fc.constantFrom(
      ...['Content-Type', 'content-type', 'Set-Cookie', 'cookie', 'Age', 'Vary', 'WWW-Authenticate', 'Location'],
      ...[
        'Connection',
        'Proxy-Connection',
        'Keep-Alive',
        'Server',
        'mcp-session-id',
        '__proto__',
        'constructor',
        'Upgrade',
        'etag',
      ],
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', 'a b', 'a\tb', ' a', 'a ', 'a\0', 'a(b', 'caf\xe9', 'a\rb', 'a\nb', '"a"'),
  },
)
const value = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.string({ unit: fc.constantFrom(...'abc ;=,"\t\x80\xff/:'), maxLength: 12 }),
  },
  { weight: 15, arbitrary: fc.constantFrom('close', 'keep-alive', 'Keep-Alive, close', 'timeout=5', 'text/plain') },
  { weight: 1, arbitrary: fc.constantFrom('a\0b', 'a\rb', 'a\nb', 'a\x7fb', 'a\x01', 'a\r\n b', '\x0b') },
)
const lineWith = (colon: fc.Arbitrary<string>) =>
  fc.tuple(name, colon, value, fc.constantFrom('', ' ', '\t')).map((parts) => parts.join(''))
const headerLine = fc.oneof(
  { weight: 50, arbitrary: lineWith(fc.constantFrom(':', ': ', ':\t ')) },
  { weight: 1, arbitrary: lineWith(fc.constantFrom(' :', '\t: ', '')) },
)

const bodyText = fc.string({ unit: fc.constantFrom(...'{}ab\r\n 0\xc3\xa9'), maxLength: 30 })
const goodExtension = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom(';a', ';a=b', ';a="b c"', ';a=b;c') },
)
const extension = fc.oneof(
  { weight: 25, arbitrary: goodExtension },
  { weight: 1, arbitrary: fc.constantFrom(';', ' ', ';a=', '; a', ';a="b', ';a="\\""', ';=b', ' ;a', ';a=b c', '\t') },
)
const chunkWith = (more: fc.Arbitrary<string>) =>
  fc
    .tuple(
      bodyText.filter((text) => text !== ''),
      more,
      fc.boolean(),
      fc.integer({ min: 0, max: 3 }),
    )
    .map(([text, aside, isUpper, zeros]) => {
      const size = '0'.repeat(zeros) + text.length.toString(16)
      return `${isUpper ? size.toUpperCase() : size}${aside}\r\n${text}\r\n`
    })
const trailer = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: headerLine.map((line) => `${line}\r\n`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('content-length: 5\r\n', 'transfer-encoding: chunked\r\n', 'Connection: close\r\n'),
  },
)

/** The header that says how long the body is, and the body. */
const body = fc.oneof(
  { weight: 6, arbitrary: bodyText.map((text) => [`Content-Length: ${text.length}\r\n`, text] as const) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.array(chunkWith(extension), { maxLength: 3 }), extension, trailer)
      .map(
        ([chunks, more, end]) =>
          ['Transfer-Encoding: chunked\r\n', `${chunks.join('')}0${more}\r\n${end}\r\n`] as const,
      ),
  },
  { weight: 2, arbitrary: bodyText.map((text) => ['', text] as const) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom(
          ...['Content-Length: +3\r\n', 'Content-Length: 3,3\r\n', 'Content-Length: \r\n', 'Content-Length: 0x3\r\n'],
          ...['Content-Length: 3\r\nContent-Length: 3\r\n', 'Content-Length: 3\r\ncontent-length: 4\r\n'],
          ...[
            'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n',
            'Transfer-Encoding: chunked\r\nContent-Length: 3\r\n',
          ],
          ...[
            'Transfer-Encoding: gzip, chunked\r\n',
            'Transfer-Encoding: chunked, gzip\r\n',
            'Transfer-Encoding: identity\r\n',
          ],
          ...['Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', 'Transfer-Encoding: xchunked\r\n'],
          ...['Transfer-Encoding : chunked\r\n', 'Transfer-Encoding:\r\n', 'Content-Length: 99999999999999999999\r\n'],
          ...['Content-Length: 3 4\r\n', 'Content-Length: 00000000000000000003\r\n', 'Content-Length: 3 \r\n'],
        ),
        fc.constantFrom('abc', '3\r\nabc\r\n0\r\n\r\n', ''),
      )
      .map(([line, text]) => [line, text] as const),
  },
)

const early = fc.oneof(
  { weight: 20, arbitrary: fc.constant('') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n'),
  },
  { weight: 1, arbitrary: fc.constantFrom('\r\n', '\n', ' ', 'HTTP/1.1 150 x\r\nContent-Length: 5\r\n\r\n') },
)
const late = fc.oneof(
  { weight: 20, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom('x', '\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno') },
)

const answer = fc
  .tuple(early, statusLine, fc.array(headerLine, { maxLength: 4 }), body, late)
  .map(([before, status, lines, [length, text], after]) => {
    const head = `${status}\r\n${lines.map((line) => `${line}\r\n`).join('')}${length}\r\n`
    return `${before}${head}${text}${after}`
  })

/** Inserts, removes or changes a byte. */
const change = fc.record({
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  kind: fc.constantFrom('put', 'take', 'change'),
  byte: fc.constantFrom(...'\r\n\0 \t:;,05aGf"\\\x7f\x80\xff-+'),
})

/** Answers of any server, valid and invalid, as their bytes in latin1. */
export const madeAnswer = fc
  .tuple(
    answer,
    fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(change, { minLength: 1, maxLength: 2 }) },
    ),
  )
  .map(([text, changes]) =>
    changes.reduce((bytes, { at, kind, byte }) => {
      const place = Math.floor(at * bytes.length)
      const rest = bytes.slice(kind === 'put' ? place : place + 1)
      return `${bytes.slice(0, place)}${kind === 'take' ? '' : byte}${rest}`
    }, text),
  )

/** Valid answers that leave the connection open. */
export const keptAnswer = fc
  .tuple(
    fc.constantFrom('200 OK', '404 Not Found', '202 Accepted'),
    fc.array(
      fc.tuple(
        token,
        bodyText.map((text) => text.replace(/[\r\n]/g, '')),
      ),
      { maxLength: 3 },
    ),
    fc.oneof(
      bodyText.map((text) => `Content-Length: ${text.length}\r\n\r\n${text}`),
      fc
        .array(chunkWith(goodExtension), { maxLength: 3 })
        .map((chunks) => ['Transfer-Encoding: chunked\r\n\r\n', ...chunks, '0\r\n\r\n'].join('')),
    ),
  )
  .map(
    ([status, lines, rest]) =>
      `HTTP/1.1 ${status}\r\n${lines.map(([key, text]) => `x${key}: ${text}\r\n`).join('')}${rest}`,
  )
