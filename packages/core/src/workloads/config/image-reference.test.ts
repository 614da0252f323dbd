import { expect, test } from 'vitest'
import { anyText } from '@toolhaven/testing/any-text'
import { fc } from '@toolhaven/testing/properties'
import { isThvError } from '../../errors.ts'
import { checkImageReference } from './image-reference.ts'

const digest = `sha256:${'0a'.repeat(32)}`

test.each([
  'web',
  'web:1',
  'tools/web',
  'registry.example.com/tools/web:1.2-x',
  'localhost:5000/web',
  '[::1]:5000/web',
  `web@${digest}`,
  `a/b:c@${digest}`,
  'a__b/c-d--e',
  'x/'.repeat(100) + 'y',
])('the reference %s is taken', (reference) => {
  expect(() => checkImageReference(reference)).not.toThrow()
})

test.each([
  '',
  ' ',
  'Web',
  '-web',
  '--rm',
  'web:',
  'web:-x',
  'web@sha256:12',
  `web@${digest.toUpperCase()}`,
  'a//b',
  '/web',
  'web/',
  './web',
  '../web',
  'a..b',
  'web:1:2',
  'http://x/web',
  'web\n',
  'we b',
  'web;x',
  '$(x)',
  'a'.repeat(513),
])('the reference %j is refused', (reference) => {
  expect(() => checkImageReference(reference)).toThrow(/image "/)
})

test('whatever is refused is repeated in one printable, short line', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 700 }), (text) => {
      const fault = faultOf(() => checkImageReference(text))
      expect(fault === undefined ? /^[A-Za-z0-9[]/.test(text) : isThvError(fault, 'invalid')).toBe(true)
      expect(String(fault)).not.toMatch(/\p{Cc}/u)
      expect(String(fault).length).toBeLessThan(400)
    }),
  )
})

function faultOf(work: () => void): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return error
  }
}
