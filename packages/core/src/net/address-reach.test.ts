import { describe, expect, it } from 'vitest'
import { fc } from '@toolhaven/testing/properties'
import { addressReach, isPublicAddress } from './address-reach.ts'

const octet = fc.integer({ min: 0, max: 255 })
const octets = (...fixed: number[]) =>
  fc
    .tuple(...Array.from({ length: 4 }, (_, index) => (fixed[index] === undefined ? octet : fc.constant(fixed[index]))))
    .map((parts) => parts.join('.'))

const group = fc.integer({ min: 0, max: 0xffff })
const hex = (groups: number[]) => groups.map((part) => part.toString(16)).join(':')

describe('isPublicAddress', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.0.1',
    '172.32.0.1',
    '2606:4700::1111',
    '2a00:1450:4001::200e',
    '64:ff9b::8.8.8.8',
    '64:ff9b::5db8:d822',
  ])('takes %s for public', (address) => expect(isPublicAddress(address)).toBe(true))

  it.each([
    ['127.0.0.1', 'private'],
    ['127.255.255.254', 'private'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.0.1', 'private'],
    ['100.64.0.1', 'private'],
    ['100.127.255.255', 'private'],
    ['::1', 'private'],
    ['fc00::1', 'private'],
    ['fdff::1', 'private'],
    ['::ffff:127.0.0.1', 'private'],
    ['::ffff:8.8.8.8', 'private'],
    ['::ffff:7f00:1', 'private'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['0.0.0.0', 'never'],
    ['0.1.2.3', 'never'],
    ['169.254.169.254', 'never'],
    ['100.100.100.200', 'never'],
    ['168.63.129.16', 'never'],
    ['fd00:ec2::254', 'never'],
    ['fd20:ce::254', 'never'],
    ['224.0.0.1', 'never'],
    ['239.255.255.255', 'never'],
    ['240.0.0.1', 'never'],
    ['255.255.255.255', 'never'],
    ['192.0.0.1', 'never'],
    ['192.0.2.1', 'never'],
    ['198.18.0.1', 'never'],
    ['198.19.255.255', 'never'],
    ['198.51.100.1', 'never'],
    ['203.0.113.1', 'never'],
    ['192.88.99.1', 'never'],
    ['::', 'never'],
    ['::7f00:1', 'never'],
    ['::127.0.0.1', 'never'],
    ['::8.8.8.8', 'never'],
    ['::ffff:169.254.169.254', 'never'],
    ['64:ff9b::127.0.0.1', 'private'],
    ['64:ff9b::169.254.169.254', 'never'],
    ['64:ff9b::168.63.129.16', 'never'],
    ['64:ff9b:0:0:0:1:808:808', 'never'],
    ['64:ff9b:1::8.8.8.8', 'never'],
    ['2002:7f00:1::1', 'never'],
    ['2002:808:808::1', 'never'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'never'],
    ['fe80::1', 'never'],
    ['fec0::1', 'never'],
    ['ff02::1', 'never'],
    ['2001:db8::1', 'never'],
    ['3fff::1', 'never'],
    ['100::1', 'never'],
    ['5f00::1', 'never'],
    ['4000::1', 'never'],
    ['2606:4700::5efe:7f00:1', 'never'],
    ['2606:4700::200:5efe:7f00:1', 'never'],
  ])('takes %s for %s', (address, reach) => {
    expect(addressReach(address)).toBe(reach)
    expect(isPublicAddress(address)).toBe(false)
  })

  it.each([
    '',
    'localhost',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '08.8.8.8',
    '8.8.8.8 ',
    '[2606:4700::1]',
    'fe80::1%eth0',
    '2606:4700::1%1',
    '8.8.8.8:80',
    '1.2.3.4.5',
  ])('does not guess at %j', (text) => expect(addressReach(text)).toBe('never'))

  it('finds no public address in any special IPv4 block, however it is wrapped', () => {
    const special = fc.oneof(
      octets(0),
      octets(10),
      octets(127),
      octets(169, 254),
      octets(192, 168),
      octets(224),
      octets(255),
    )
    fc.assert(
      fc.property(special, (address) => {
        expect(isPublicAddress(address)).toBe(false)
        for (const wrap of [
          `::ffff:${address}`,
          `::${address}`,
          `64:ff9b::${address}`,
          `64:ff9b:1::${address}`,
          `::ffff:0:${address}`,
        ]) {
          expect(isPublicAddress(wrap)).toBe(false)
        }
      }),
    )
  })

  it('finds no public address outside 2000::/3', () => {
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        fc.pre((groups[0] ?? 0) >> 13 !== 1 && groups[0] !== 0x64)
        expect(isPublicAddress(hex(groups))).toBe(false)
      }),
    )
  })

  it('finds no public address behind 6to4 or Teredo, whatever follows', () => {
    fc.assert(
      fc.property(fc.array(group, { minLength: 7, maxLength: 7 }), (rest) => {
        expect(isPublicAddress(hex([0x2002, ...rest]))).toBe(false)
        expect(isPublicAddress(hex([0x2001, 0, ...rest.slice(1)]))).toBe(false)
      }),
    )
  })
})
