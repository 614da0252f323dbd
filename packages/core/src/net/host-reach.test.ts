import { describe, expect, test } from 'vitest'
import { hostReach, listedHostReach } from './host-reach.ts'

const reachOf = (url: string) => hostReach(new URL(url).hostname)

describe('the host of a URL', () => {
  test.for([
    '169.254.169.254',
    '169.254.169.254.',
    '2852039166',
    '0xa9fea9fe',
    '0xa9.0xfe.0xa9.0xfe',
    '0251.0376.0251.0376',
    '169.16689662',
    '169。254。169。254',
    '１６９.254.169.254',
    '%31%36%39.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '[0:0:0:0:0:FFFF:A9FE:A9FE]',
    '[::169.254.169.254]',
    '[::ffff:0:169.254.169.254]',
    '[64:ff9b::169.254.169.254]',
    '[64:ff9b:1::169.254.169.254]',
    '[2002:a9fe:a9fe::1]',
    '[2001:0:4136:e378:8000:63bf:5601:5601]',
    '[fe80::a9fe:a9fe]',
    '[fd00:ec2::254]',
    '[FD00:EC2::23]',
    '[fd20:ce::254]',
    '[fd00:c1::a9fe:a9fe]',
    '[fd00:42::42]',
    '[::ffff:100.100.100.200]',
    'metadata.google.internal',
    'METADATA.Google.Internal.',
    'metadata。google。internal',
    'ｍetadata.google.internal',
    'metadata.google.interna%6c',
    'metadata',
    'metadata.goog',
    'instance-data',
    'instance-data.ec2.internal',
    'metadata.azure.internal',
    'metadata.tencentyun.com',
  ])('%s leads to metadata', (host) => {
    expect(reachOf(`http://${host}/`)).toBe('never')
  })

  test.for([
    ['127.0.0.1', 'private'],
    ['2130706433', 'private'],
    ['localhost', 'private'],
    ['LOCALHOST.', 'private'],
    ['db.localhost', 'private'],
    ['10.0.0.1', 'private'],
    ['100.100.100.201', 'private'],
    ['[::1]', 'private'],
    ['[fd00:ec3::254]', 'private'],
    ['8.8.8.8', 'public'],
    ['168.63.129.17', 'public'],
    ['[2606:4700::1111]', 'public'],
    ['example.com', 'name'],
    ['metadata.example.com', 'name'],
    ['localhost.example.com', 'name'],
    ['10.0.0.1.example.com', 'name'],
  ] as const)('%s is %s', ([host, reach]) => {
    expect(reachOf(`http://${host}/`)).toBe(reach)
  })
})

test.each([
  ['example.com', 'name'],
  ['*.example.com', 'name'],
  ['1.2.3.4:8443', 'public'],
  ['db.example.com:5432', 'private'],
  ['localhost:5432', 'private'],
  ['*.localhost', 'private'],
  ['0x7f.1:80', 'private'],
  ['10.0.0.1', 'private'],
  ['[::1]:80', 'private'],
  ['fd12::1', 'private'],
  ['169.254.169.254:80', 'never'],
  ['metadata.google.internal:80', 'never'],
])('the entry %s of a list is %s', (entry, reach) => {
  expect(listedHostReach(entry)).toBe(reach)
})
