import { expect, test } from 'vitest'
import { isNewerTag, newerTag, tagOf, withTag } from './newer-tag.ts'

const ODD = ['latest', 'main', 'sha-1234567', '1234567', '', '../x', '1.2.3.4.5.6']

test.each([
  ['1.2.3', ['1.2.4', '1.10.0', '1.3.0', '2.0.0-rc.1', '1.2.3-alpine', 'v9.0.0', '3.0', ...ODD], '1.10.0'],
  ['1.2.3-alpine', ['1.2.4', '1.2.4-alpine', '1.2.5-slim', '1.2.5-alpine3.20'], '1.2.4-alpine'],
  ['v1.2', ['1.3', 'v1.3', 'v1.3.1'], 'v1.3'],
  ['2.0.0-rc.1', ['2.0.0-rc.10', '2.0.0-rc.9', '1.9.9'], '2.0.0-rc.10'],
  ['2.0.0-rc.1', ['2.0.0-rc.2', '2.0.0'], '2.0.0'],
  ['2.0.0-rc1-alpine', ['2.0.0-rc2-alpine', '2.0.0-rc3'], '2.0.0-rc2-alpine'],
  ['16', ['15', '17', '16.1', '1234567'], '17'],
  ['20250101', ['20251231', '20241231'], '20251231'],
  ['2025.01.09', ['2025.01.10', '2024.12.31'], '2025.01.10'],
  ['1.2.3', ['1.2.3', '1.2.2', '01.2.3'], undefined],
  ['latest', ['1.0.0', '2.0.0'], undefined],
  ['1.2.3', [`1.3.0-alpha${'1'.repeat(110)}x`, '1.2.4'], '1.2.4'],
] as const)('newer than %s among %j is %s', (tag, tags, expected) => {
  expect(newerTag(tag, tags)).toBe(expected)
})

test.each([
  ['img', undefined, 'img:2'],
  ['localhost:5000/team/img', undefined, 'localhost:5000/team/img:2'],
  ['localhost:5000/team/img:1.0', '1.0', 'localhost:5000/team/img:2'],
  ['team/img:1.0@sha256:00', '1.0', 'team/img:2'],
  ['team/img@sha256:00', undefined, 'team/img:2'],
])('the tag of %s is %s, and with another it is %s', (reference, tag, other) => {
  expect(tagOf(reference)).toBe(tag)
  expect(withTag(reference, '2')).toBe(other)
})

test.each([
  ['2.0.0', '1.9.9', true],
  ['1.0.0-alpine', '2.0.0', false],
  ['2.0.0', '1.0.0-alpine', true],
  ['2.0.1-slim', '2.0.0-alpine', true],
  ['2.0.0-slim', '2.0.0-alpine', false],
  ['2.0.0-alpine', '2.0.0', false],
  ['2.0.0-alpine3.20', '2.0.0-alpine3.19', true],
  ['2.0.0-alpine3.19', '2.0.0-alpine3.20', false],
  ['2.0.0-10', '2.0.0-9', true],
  ['2.0.0-rc.1', '2.0.0', false],
  ['2.0.0', '2.0.0-rc.1', true],
  ['2.0.0-rc.2', '1.9.0', true],
  ['2.0', '2.0.0', false],
  ['v2.1', '2.0.9', true],
  ['10', '9.9.9', true],
  ['latest', '1.0.0', undefined],
  ['1.0.0', 'latest', undefined],
])('that %s is newer than %s is %s', (tag, than, expected) => {
  expect(isNewerTag(tag, than)).toBe(expected)
})
