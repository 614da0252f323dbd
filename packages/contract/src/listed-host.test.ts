import { describe, expect, test } from 'vitest'
import { parseListedHost } from './listed-host.ts'

describe('an entry of allow_host', () => {
  test.for([
    ['api.example.com', { host: 'api.example.com' }],
    ['API.Example.com', { host: 'api.example.com' }],
    ['*.example.com', { host: '*.example.com' }],
    ['.example.com', { host: '.example.com' }],
    ['db.example.com:5432', { host: 'db.example.com', port: 5432 }],
    ['*.example.com:8443', { host: '*.example.com', port: 8443 }],
    ['localhost:5432', { host: 'localhost', port: 5432 }],
    ['192.168.1.5', { host: '192.168.1.5' }],
    ['192.168.1.5:22', { host: '192.168.1.5', port: 22 }],
    ['fd00::1', { host: 'fd00::1' }],
    ['FD00:0::1', { host: 'fd00::1' }],
    ['fd00::1:8080', { host: 'fd00::1:8080' }],
    ['[fd00::1]', { host: 'fd00::1' }],
    ['[FD00:0::1]:8080', { host: 'fd00::1', port: 8080 }],
  ] as const)('is read: %s', ([entry, listed]) => {
    expect(parseListedHost(entry)).toEqual(listed)
  })

  test.for([
    '',
    ':443',
    'a.example:',
    'a.example:0',
    'a.example:0443',
    'a.example:65536',
    'a.example:http',
    'a.example:443:443',
    'fd00::x',
    '[fd00::1',
    '[fd00::1]8080',
    '[a.example]:443',
    '[10.0.0.1]:443',
    '[]:443',
  ])('cannot be %j', (entry) => {
    expect(parseListedHost(entry)).toBeUndefined()
  })
})
