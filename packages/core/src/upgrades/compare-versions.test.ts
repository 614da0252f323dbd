import { describe, expect, test } from 'vitest'
import { compareVersions, isPreRelease } from './compare-versions.ts'

/** Each list from the oldest to the newest, as the specification of its scheme orders them. */
const ORDERS = {
  npx: [
    ...['0.9.9', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11'],
    ...['1.0.0-rc.1', '1.0.0', '1.2.0', '1.10.0', '2025.12.18', '2026.1.26', '99999999999999999999.0.0'],
  ],
  uvx: [
    ...[
      '1.0.dev456',
      '1.0a1',
      '1.0a2.dev456',
      '1.0a12.dev456',
      '1.0a12',
      '1.0b1.dev456',
      '1.0b2',
      '1.0b2.post345.dev456',
    ],
    ...['1.0b2.post345', '1.0rc1.dev456', '1.0rc1', '1.0', '1.0+abc', '1.0.post456.dev34', '1.0.post456', '1.1.dev1'],
    ...['1.1', '1.10', '1!0.1'],
  ],
  go: ['v0.0.0-20210101000000-abcdefabcdef', 'v0.0.0-20220101000000-abcdefabcdef', 'v0.1.0', 'v1.9.0', 'v1.10.0'],
} as const

describe.each([['npx'], ['uvx'], ['go']] as const)('versions of %s', (scheme) => {
  test('are in the order that their specification gives them', () => {
    const order: readonly string[] = ORDERS[scheme]
    for (const [at, version] of order.entries())
      for (const [other, compared] of order.entries())
        expect(Math.sign(compareVersions(scheme, version, compared)), `${version} ${compared}`).toBe(
          Math.sign(at - other),
        )
  })
})

test.each([
  ['npx', '1.0.0', '1.0.0+build.5'],
  ['go', 'v2.0.0', 'v2.0.0+incompatible'],
  ['uvx', '1.0', '1.0.0'],
] as const)('of %s, %s and %s are the same', (scheme, a, b) => {
  expect(compareVersions(scheme, a, b)).toBe(0)
})

test.each([
  ...([
    ['npx', '1.0.0-rc.1', true],
    ['npx', '1.0.0', false],
    ['npx', '1.0.0+a-b', false],
  ] as const),
  ...([
    ['uvx', '1.0rc1', true],
    ['uvx', '1.0.dev1', true],
    ['uvx', '1.0.post1', false],
  ] as const),
  ...([
    ['uvx', '1.0+a1', false],
    ['go', 'v0.0.0-20210101000000-abcdefabcdef', true],
  ] as const),
] as const)('of %s, that %s is a pre-release is %s', (scheme, version, expected) => {
  expect(isPreRelease(scheme, version)).toBe(expected)
})
