import { describe, expect, it } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { checkRequest, type GuardedRequest } from './check-request.ts'

const policy = { allowedHosts: ['tools.example.org', 'box.example.org:9000'] }

function request(change: Partial<GuardedRequest>): GuardedRequest {
  return {
    method: 'GET',
    host: 'localhost:8080',
    origin: undefined,
    secFetchSite: undefined,
    hasBody: false,
    ...change,
  }
}

const mixedCase = (word: string) =>
  fc
    .array(fc.boolean(), { minLength: word.length, maxLength: word.length })
    .map((upper) => [...word].map((letter, i) => (upper[i] ? letter.toUpperCase() : letter)).join(''))

const loopback = fc.oneof(
  fc.tuple(mixedCase('localhost'), fc.constantFrom('', '.')).map(([name, dot]) => name + dot),
  fc.constantFrom('127.0.0.1', '[::1]'),
)
const optionalPort = fc.oneof(
  fc.constant(''),
  fc.integer({ min: 0, max: 65_535 }).map((port) => `:${port}`),
)

describe('the Host header', () => {
  it('allows every usual spelling of loopback with any or no port', () => {
    fc.assert(
      fc.property(loopback, optionalPort, (name, port) => {
        expect(checkRequest(request({ host: name + port }), policy)).toEqual({ ok: true })
      }),
    )
  })

  it.each([
    '127.1',
    '0.0.0.0',
    '0',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.0.0.2',
    'localhost.evil.com',
    'evil.com',
    '[::ffff:127.0.0.1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    'localhost..',
    'localhost-',
    'evil.com:8080',
    '127.0.0.1.nip.io',
  ])('refuses %s with 403', (host) => {
    expect(checkRequest(request({ host }), policy)).toMatchObject({ ok: false, status: 403 })
  })

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['sent twice', ['localhost', 'localhost']],
    ['joined by a comma', 'localhost, localhost'],
    ['with user info', 'user@localhost'],
    ['with user info before an attacker', 'localhost:8080@evil.com'],
    ['with a control character', 'localhost\u0000'],
    ['with a newline', 'localhost\n'],
    ['with a space', ' localhost'],
    ['with a path', 'localhost/x'],
    ['percent-encoded', 'local%68ost'],
    ['with an empty port', 'localhost:'],
    ['with a port out of range', 'localhost:65536'],
    ['with two ports', 'localhost:80:80'],
    ['with an unclosed bracket', '[::1'],
    ['with a look-alike letter', 'ⅼocalhost'],
  ])('refuses one that is %s', (_, host) => {
    expect(checkRequest(request({ host }), policy)).toMatchObject({ ok: false, status: 400 })
  })

  it('allows no other text whatever', () => {
    const usual = /^(localhost\.?|127\.0\.0\.1|\[::1\]|tools\.example\.org\.?)(:\d{1,5})?$|^box\.example\.org\.?:9000$/i
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.ipV4(),
          fc.ipV6(),
          fc.domain(),
          fc.webAuthority({ withUserInfo: true, withPort: true }),
        ),
        (host) => {
          fc.pre(!usual.test(host))
          expect(checkRequest(request({ host }), policy).ok).toBe(false)
        },
      ),
    )
  })

  it('allows a configured name, with its port when one is configured', () => {
    expect(checkRequest(request({ host: 'Tools.example.org:1' }), policy).ok).toBe(true)
    expect(checkRequest(request({ host: 'box.example.org:9000' }), policy).ok).toBe(true)
    expect(checkRequest(request({ host: 'box.example.org:9001' }), policy).ok).toBe(false)
    expect(checkRequest(request({ host: 'sub.tools.example.org' }), policy).ok).toBe(false)
  })
})

describe('Origin and Sec-Fetch-Site', () => {
  it('allows loopback origins', () => {
    fc.assert(
      fc.property(fc.constantFrom('http', 'https'), loopback, optionalPort, (scheme, name, port) => {
        expect(checkRequest(request({ origin: `${scheme}://${name}${port}` }), policy)).toEqual({ ok: true })
      }),
    )
  })

  it.each([
    'null',
    '',
    'https://evil.com',
    'http://localhost.evil.com',
    'http://localhost@evil.com',
    'file://',
    'http://localhost/',
    'http://localhost http://evil.com',
    'chrome-extension://localhost',
    'localhost',
  ])('refuses the origin "%s" with 403', (origin) => {
    expect(checkRequest(request({ origin }), policy)).toMatchObject({ ok: false, status: 403 })
  })

  it('allows only same-origin and none as the site of a fetch', () => {
    for (const site of ['same-origin', 'none'])
      expect(checkRequest(request({ secFetchSite: site }), policy).ok).toBe(true)
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom('cross-site', 'same-site', 'Cross-Site', ''), fc.string()),
        (secFetchSite) => {
          fc.pre(secFetchSite !== 'same-origin' && secFetchSite !== 'none')
          expect(checkRequest(request({ secFetchSite }), policy)).toMatchObject({ ok: false, status: 403 })
        },
      ),
    )
  })
})

describe('the body', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])('may be %s', (contentType) => {
    expect(checkRequest(request({ method: 'POST', hasBody: true, contentType }), policy)).toEqual({ ok: true })
  })

  it.each([
    undefined,
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'text/plain; application/json',
    'application/json, text/plain',
    'application/jsonp',
    'application/json; charset=utf-7',
    'multipart/form-data; x=application/json',
  ])('may not be %s', (contentType) => {
    expect(checkRequest(request({ method: 'POST', hasBody: true, contentType }), policy)).toMatchObject({
      ok: false,
      status: 400,
    })
  })

  it('needs no type when there is none', () => {
    expect(checkRequest(request({ method: 'DELETE' }), policy)).toEqual({ ok: true })
  })
})
