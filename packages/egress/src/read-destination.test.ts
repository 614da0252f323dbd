import { describe, expect, it } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { readAbsoluteForm, readAuthority, readDialled } from './read-destination.ts'

describe('readAuthority', () => {
  it.each([
    ['api.example.com:443', { host: 'api.example.com', port: 443 }],
    ['API.Example.com:443', { host: 'api.example.com', port: 443 }],
    ['192.0.2.1:8443', { host: '192.0.2.1', port: 8443 }],
    ['[2001:DB8:0::1]:443', { host: '2001:db8::1', port: 443 }],
    ['_service.example:1', { host: '_service.example', port: 1 }],
    ['localhost:5432', { host: 'localhost', port: 5432 }],
  ])('reads %s', (text, place) => expect(readAuthority(text)).toEqual(place))

  it.each([
    '',
    'example.com',
    'example.com:',
    'example.com:0',
    'example.com:00443',
    'example.com:65536',
    'example.com:443 ',
    'example.com:+443',
    'example.com.:443',
    'user@example.com:443',
    'example.com:80:443',
    'example.com\u0000:443',
    'exämple.com:443',
    '１２７.0.0.1:443',
    'example。com:443',
    'example.com/x:443',
    'example.com#x:443',
    'example.com\\x:443',
    'x.localhost:443',
    '2130706433:443',
    '0x7f000001:443',
    '0x7f.1:443',
    '0177.0.0.1:443',
    '127.1:443',
    '0:443',
    '[::1%lo]:443',
    '[127.0.0.1]:443',
    '::1:443',
    '-x.example:443',
    'x-.example:443',
    'x..example:443',
    `${'a'.repeat(64)}.example:443`,
  ])('does not guess at %j', (text) => expect(readAuthority(text)).toBeUndefined())
})

describe('readAbsoluteForm', () => {
  it.each([
    ['http://example.com/', { host: 'example.com', port: 80, path: '/' }],
    ['http://example.com', { host: 'example.com', port: 80, path: '/' }],
    ['http://example.com:8080/a?b=c', { host: 'example.com', port: 8080, path: '/a?b=c' }],
    ['http://[2001:db8::1]/x', { host: '2001:db8::1', port: 80, path: '/x' }],
  ])('reads %s', (text, target) => expect(readAbsoluteForm(text)).toEqual(target))

  it.each([
    '/',
    'https://example.com/',
    'file:///etc/passwd',
    'http://user@example.com/',
    'http://example.com\\@evil.example/',
    'http:///x',
    'HTTP://example.com/',
    'http://example.com/#x',
    'http://example.com?x',
  ])('does not guess at %j', (text) => expect(readAbsoluteForm(text)).toBeUndefined())
})

describe('readDialled', () => {
  it.each([
    ['192.0.2.1 443', { host: '192.0.2.1', port: 443 }],
    ['2001:db8::1 65535', { host: '2001:db8::1', port: 65_535 }],
    ['2001:DB8:0::1 80', { host: '2001:db8::1', port: 80 }],
    ['::ffff:198.18.1.0 443', { host: '198.18.1.0', port: 443 }],
    ['::1 5432', { host: '::1', port: 5432 }],
  ])('reads %s', (line, place) => expect(readDialled(line)).toEqual(place))

  it.each([
    '',
    '192.0.2.1',
    '192.0.2.1 ',
    '192.0.2.1 0',
    '192.0.2.1 080',
    '192.0.2.1 65536',
    '192.0.2.1  443',
    '192.0.2.1 443 ',
    '192.0.2.1 443\r',
    '192.0.2.1:443',
    '[2001:db8::1] 443',
    'fe80::1%lo 443',
    'api.example.com 443',
    'localhost 443',
    '2130706433 443',
    '127.1 443',
    '0177.0.0.1 443',
    '::ffff:127.1 443',
  ])('does not guess at %j', (line) => expect(readDialled(line)).toBeUndefined())

  it('reads every address that the system writes, and only ever gives one spelling of it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.integer({ min: 1, max: 65_535 }), (address, port) => {
        const place = readDialled(`${address} ${port}`)
        expect(place?.port).toBe(port)
        expect(readDialled(`${place?.host} ${port}`)).toEqual(place)
      }),
    )
  })

  it('never throws, whatever the line is', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (line) => void readDialled(line)))
  })
})
