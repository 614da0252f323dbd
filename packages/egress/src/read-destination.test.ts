import { describe, expect, it } from 'vitest'
import { readAbsoluteForm, readAuthority } from './read-destination.ts'

describe('readAuthority', () => {
  it.each([
    ['api.example.com:443', { host: 'api.example.com', port: 443 }],
    ['API.Example.com:443', { host: 'api.example.com', port: 443 }],
    ['192.0.2.1:8443', { host: '192.0.2.1', port: 8443 }],
    ['[2001:DB8:0::1]:443', { host: '2001:db8::1', port: 443 }],
    ['_service.example:1', { host: '_service.example', port: 1 }],
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
    'localhost:443',
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
