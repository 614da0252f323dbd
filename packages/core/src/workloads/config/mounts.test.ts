import { describe, expect, test } from 'vitest'
import { anyText } from '@toolhaven/testing/any-text'
import { fc } from '@toolhaven/testing/properties'
import { isThvError } from '../../errors.ts'
import { declaredMounts, parseProfileMount, parseVolume } from './mounts.ts'

describe('a volume', () => {
  test.each([
    ['/a:/b', { host: '/a', container: '/b', readOnly: false }],
    ['/a:/b:ro', { host: '/a', container: '/b', readOnly: true }],
    ['/a:/b:rw', { host: '/a', container: '/b', readOnly: false }],
    ['~:/b', { host: '~', container: '/b', readOnly: false }],
    ['~/x y:/b', { host: '~/x y', container: '/b', readOnly: false }],
    ['/a/../c:/b', { host: '/a/../c', container: '/b', readOnly: false }],
  ])('%s', (text, mount) => {
    expect(parseVolume(text)).toEqual(mount)
  })
  test.each([
    '',
    ':',
    '/a',
    '/a:',
    ':/b',
    '/a:b',
    'a:/b',
    './a:/b',
    '../a:/b',
    '~x:/b',
    '/a:/b:RO',
    '/a:/b:',
    '/a:/b:ro:x',
    '/a:/b/..',
    '/a:/../b',
    '/a\u0000:/b',
    '/a:/b\n',
    'C:\\x:/b',
  ])('cannot be %j', (text) => {
    expect(() => parseVolume(text)).toThrow(/volume/)
  })
  test('is refused with a sentence or taken with absolute paths, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(anyText(), fc.stringMatching(/^[~/:.a-z]{0,20}$/)), (text) => {
        expect(judge(text)).toMatch(/^(refused|\/|~)/)
      }),
    )
  })
})

describe('a mount of a profile', () => {
  test('is a path on both sides, or a pair', () => {
    expect(parseProfileMount('/a', true)).toEqual({ host: '/a', container: '/a', readOnly: true })
    expect(parseProfileMount('/a:/b', false)).toEqual({ host: '/a', container: '/b', readOnly: false })
  })
  test.each(['', 'a', '/a:/b:ro', '/a:', ':/b', '~/x'])('cannot be %j', (text) => {
    expect(() => parseProfileMount(text, true)).toThrow()
  })
})

test('a later mount of the same place wins: write over read, volumes over the profile', () => {
  const mounts = declaredMounts({
    permission_profile: { read: ['/a:/x', '/r:/y'], write: ['/b:/x'] },
    volumes: ['/c:/y:ro', '/d:/z'],
  })
  expect(mounts).toEqual([
    { host: '/b', container: '/x', readOnly: false },
    { host: '/c', container: '/y', readOnly: true },
    { host: '/d', container: '/z', readOnly: false },
  ])
})

/** The container path is checked here; what is left is the host path. */
function judge(text: string): string {
  try {
    const { host, container } = parseVolume(text)
    return container.startsWith('/') && !container.split('/').includes('..') ? host : `bad container path ${container}`
  } catch (error) {
    return isThvError(error, 'invalid') ? 'refused' : `a fault: ${String(error)}`
  }
}

test.each(['/:/', '/data:/./', '/:/:ro'])('nothing is mounted over the root of the server: %s', (text) => {
  expect(() => parseVolume(text)).toThrow(/a mount cannot replace the root of the server; use "\/(data)?:\/host"$/)
})

test('the root in a profile needs a place inside', () => {
  expect(() => parseProfileMount('/', true)).toThrow('use "/:/host"')
  expect(parseProfileMount('/:/host', true)).toEqual({ host: '/', container: '/host', readOnly: true })
})
