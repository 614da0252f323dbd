import { describe, expect, it } from 'vitest'
import type { OutboundRules } from '@toolhaven/core/ports/egress'
import { judge, judgeAddress as judgeWith, type Destination, type OwnSide } from './outbound-policy.ts'

const rules = (change: Partial<OutboundRules>): OutboundRules => ({
  allowHost: [],
  allowPort: [],
  allowAll: false,
  ...change,
})

describe('judge', () => {
  it('lets nothing out without a list', () => {
    expect(judge(rules({}), { host: 'example.com', port: 443 }).isAllowed).toBe(false)
  })

  it.each([
    ['example.com', true],
    ['api.example.com', false],
    ['notexample.com', false],
    ['example.com.evil.test', false],
  ])('takes a listed name exactly: %s', (host, isAllowed) => {
    expect(judge(rules({ allowHost: ['Example.com'] }), { host, port: 443 }).isAllowed).toBe(isAllowed)
  })

  it.each([
    ['*.example.com', 'api.example.com', true],
    ['*.example.com', 'a.b.example.com', true],
    ['*.example.com', 'example.com', false],
    ['*.example.com', 'notexample.com', false],
    ['.example.com', 'api.example.com', true],
    ['.example.com', 'example.com', false],
    ['.example.com', '.example.com', false],
  ])('%s covers %s: %s', (entry, host, isAllowed) => {
    expect(judge(rules({ allowHost: [entry] }), { host, port: 443 }).isAllowed).toBe(isAllowed)
  })

  it('means the ports of the web where none is listed, and only the listed ones otherwise', () => {
    const host = 'example.com'
    expect(judge(rules({ allowHost: [host] }), { host, port: 80 }).isAllowed).toBe(true)
    expect(judge(rules({ allowHost: [host] }), { host, port: 22 })).toEqual({
      isAllowed: false,
      reason: 'example.com:22 is not in allow_port',
    })
    expect(judge(rules({ allowHost: [host], allowPort: [22] }), { host, port: 443 }).isAllowed).toBe(false)
  })

  it('takes a list of ports alone as every public host', () => {
    expect(judge(rules({ allowPort: [443] }), { host: 'any.example', port: 443 }).isAllowed).toBe(true)
  })
})

describe('judge, of entries with a port', () => {
  it.each([
    ['db.example:5432', 'db.example', 5432, true],
    ['db.example:5432', 'db.example', 443, false],
    ['db.example:5432', 'other.example', 5432, false],
    ['*.example:5432', 'db.example', 5432, true],
    ['*.example:5432', 'db.example', 443, false],
    ['10.0.0.1:22', '10.0.0.1', 22, true],
    ['[fd00::1]:22', 'fd00::1', 22, true],
    ['[fd00::1]:22', 'fd00::1', 443, false],
    ['localhost:5432', '127.0.0.1', 5432, true],
    ['localhost:5432', '::1', 5432, true],
    ['localhost:5432', '127.0.0.2', 5432, false],
    ['localhost:5432', '127.0.0.1', 5433, false],
  ])('%s lets %s:%s through: %s', (entry, host, port, isAllowed) => {
    expect(judge(rules({ allowHost: [entry] }), { host, port }).isAllowed).toBe(isAllowed)
  })

  it('leaves the ports of the other entries as they are', () => {
    const mixed = rules({ allowHost: ['db.example:5432', 'api.example'], allowPort: [8443] })
    const isAllowed = (host: string, port: number) => judge(mixed, { host, port }).isAllowed
    expect([isAllowed('db.example', 5432), isAllowed('db.example', 8443)]).toEqual([true, false])
    expect([isAllowed('api.example', 8443), isAllowed('api.example', 5432)]).toEqual([true, false])
  })
})

describe('judgeAddress', () => {
  const place = { host: 'example.com', port: 443 }
  const own: OwnSide = { addresses: ['192.168.1.5', '203.0.113.9', 'fd00::5'], isOwnPort: (port) => port === 8080 }
  const judgeAddress = (given: OutboundRules, where: Destination, address: string) =>
    judgeWith(given, where, address, own)
  /** Of an address that is dialled as it is. */
  const isReached = (entry: string, address: string, port: number, allowAll = false) =>
    judgeAddress(rules({ allowHost: [entry], allowAll }), { host: address, port }, address).isAllowed

  it.each([
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '0.0.0.0',
    '::1',
    '::ffff:127.0.0.1',
    '64:ff9b::a00:1',
    'fd00::1',
    '203.0.113.9',
  ])('refuses an allowed name that leads to %s, and does not say where it leads', (address) => {
    const verdict = judgeAddress(rules({ allowHost: ['example.com'] }), place, address)
    expect(verdict.isAllowed).toBe(false)
    expect(JSON.stringify(verdict)).not.toContain(address)
  })

  it('takes public addresses of a network that this machine is in for private ones', () => {
    const near: OwnSide = { addresses: ['198.51.100.9/24', '2001:4860:1:2::9/64'], isOwnPort: () => false }
    const reaches = (host: string) => judgeWith(rules({ allowAll: true }), { host, port: 80 }, host, near).isAllowed
    expect(['198.51.100.1', '2001:4860:1:2::1', '2001:4860:1:2::9'].map(reaches)).toEqual([false, false, false])
    expect(['8.8.8.8', '2001:4860:1:3::1'].map(reaches)).toEqual([true, true])
  })

  it('opens no further port of a private address of an older profile while everything is allowed', () => {
    expect([80, 443, 22].map((port) => isReached('10.0.0.7', '10.0.0.7', port, true))).toEqual([true, true, false])
  })

  it('refuses private addresses even where everything is allowed', () => {
    expect(judgeAddress(rules({ allowAll: true }), place, '192.168.1.1').isAllowed).toBe(false)
  })

  it('lets a private address through that an older profile lists without a port, at its ports', () => {
    const listed = rules({ allowHost: ['192.168.1.7'] })
    expect(judgeAddress(listed, { host: '192.168.1.7', port: 443 }, '192.168.1.7').isAllowed).toBe(true)
    expect(judgeAddress(listed, { host: 'example.com', port: 443 }, '192.168.1.7').isAllowed).toBe(false)
    const everything = rules({ allowHost: ['192.168.1.7'], allowPort: [22], allowAll: true })
    expect(judgeAddress(everything, { host: '192.168.1.7', port: 22 }, '192.168.1.7').isAllowed).toBe(true)
    expect(judgeAddress(everything, { host: '192.168.1.7', port: 23 }, '192.168.1.7').isAllowed).toBe(false)
  })

  it('lets a private address and a name for it through at the port they are listed with, and at no other', () => {
    expect([isReached('10.0.0.1:22', '10.0.0.1', 22), isReached('10.0.0.1:22', '10.0.0.1', 23)]).toEqual([true, false])
    expect([isReached('10.0.0.1:22', '10.0.0.1', 22, true), isReached('10.0.0.1:22', '10.0.0.1', 23, true)]).toEqual([
      ...[true, false],
    ])
    const named = (port: number) =>
      judgeAddress(rules({ allowHost: ['nas.example:22'] }), { host: 'nas.example', port }, '10.0.0.1').isAllowed
    expect([named(22), named(23)]).toEqual([true, false])
  })

  it('lets a name of the configuration lead anywhere but to metadata and the ports of the daemon', () => {
    const at = (port: number) => [`index.example:${port}`]
    const isReachedAt = (address: string, port: number, configured = at(port)) => {
      const given = rules({ allowAll: true, allowHost: at(port), configured })
      return judgeAddress(given, { host: 'index.example', port }, address).isAllowed
    }
    const addresses = ['10.0.0.1', '127.0.0.1', '::1', '192.168.1.5', '198.18.0.7', '240.0.0.1', '8.8.8.8']
    expect(addresses.map((address) => isReachedAt(address, 4873))).toEqual(addresses.map(() => true))
    expect(isReachedAt('127.0.0.1', 4873, at(80))).toBe(false)
    expect(isReachedAt('127.0.0.1', 8080)).toBe(false)
    const never = [
      '169.254.169.254',
      '100.100.100.200',
      'fd00:ec2::254',
      'fe80::1',
      '0.0.0.0',
      '224.0.0.1',
      '255.255.255.255',
    ]
    expect(never.filter((address) => isReachedAt(address, 443))).toEqual([])
  })

  it('never takes a wildcard for a private host', () => {
    const listed = rules({ allowHost: ['*.example:22'] })
    expect(judgeAddress(listed, { host: 'nas.example', port: 22 }, '10.0.0.1').isAllowed).toBe(false)
  })

  it.each([
    ...['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', '169.254.1.1', 'fe80::1', '0.0.0.0'],
    ...['169.254.169.254', 'fd00:ec2::254', '192.168.1.5', '::ffff:192.168.1.5', 'fd00::5', '203.0.113.9'],
  ])('never lets a name lead to %s, also where it is listed with its port', (address) => {
    const listed = rules({ allowHost: ['nas.example:22'] })
    expect(judgeAddress(listed, { host: 'nas.example', port: 22 }, address).isAllowed).toBe(false)
  })

  it('reaches this machine only where its address or localhost is listed with the port', () => {
    expect(isReached('127.0.0.1:5432', '127.0.0.1', 5432)).toBe(true)
    expect(isReached('[::1]:5432', '::1', 5432)).toBe(true)
    expect(isReached('192.168.1.5:5432', '192.168.1.5', 5432)).toBe(true)
    const local = rules({ allowHost: ['localhost:5432'] })
    for (const address of ['127.0.0.1', '::1'])
      expect(judgeAddress(local, { host: 'localhost', port: 5432 }, address).isAllowed).toBe(true)
    expect(judgeAddress(rules({ allowAll: true }), { host: 'localhost', port: 5432 }, '127.0.0.1').isAllowed).toBe(
      false,
    )
    expect(judgeAddress(rules({ allowHost: ['localhost'] }), { host: 'localhost', port: 80 }, '127.0.0.1')).toEqual({
      isAllowed: false,
      reason: 'localhost:80 does not lead to a public address',
    })
  })

  it.each(['127.0.0.1', '127.0.0.2', '192.168.1.5', '[::1]', '[fd00::5]'])(
    'never reaches ports of our own at %s, also where they are listed',
    (host) => {
      const address = host.replaceAll(/[[\]]/g, '')
      expect(isReached(`${host}:8080`, address, 8080)).toBe(false)
      expect(isReached(`${host}:8081`, address, 8081)).toBe(true)
      expect(
        judgeAddress(rules({ allowHost: [address], allowPort: [8080] }), { host: address, port: 8080 }, address),
      ).toMatchObject({
        reason: expect.stringContaining('is a port of Toolhaven'),
      })
    },
  )

  it('reaches a port of another machine that has the number of one of ours', () => {
    expect(isReached('10.0.0.1:8080', '10.0.0.1', 8080)).toBe(true)
  })

  it.each(['169.254.169.254', '100.100.100.200', '0.0.0.0', '255.255.255.255', '224.0.0.1'])(
    'never reaches %s, however it is listed',
    (address) => {
      expect(isReached(address, address, 80)).toBe(false)
      expect(isReached(`${address}:80`, address, 80)).toBe(false)
      expect(isReached(`${address}:80`, address, 80, true)).toBe(false)
    },
  )
})
