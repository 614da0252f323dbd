import { describe, expect, test } from 'vitest'
import { BUILT_IN_PROFILES, outboundPolicy, permissionProfile } from './permission-profile.ts'

describe('a permission profile', () => {
  test.each([
    [{}, 'nothing'],
    [{ network: {} }, 'nothing'],
    [{ network: { outbound: {} } }, 'nothing'],
    [{ network: { outbound: { allow_host: [], allow_port: [] } } }, 'nothing'],
    [{ network: { outbound: { insecure_allow_all: false } } }, 'nothing'],
    [{ network: { outbound: { insecure_allow_all: true } } }, 'everything'],
    [{ network: { outbound: { insecure_allow_all: true, allow_host: ['a.example'] } } }, 'everything'],
    [{ network: { outbound: { allow_host: ['a.example'] } } }, 'allow-list'],
    [{ network: { outbound: { allow_port: [443], insecure_allow_all: false } } }, 'allow-list'],
    [BUILT_IN_PROFILES.none, 'nothing'],
    [BUILT_IN_PROFILES.network, 'everything'],
  ])('%j lets out %s', (profile, policy) => {
    expect(permissionProfile.safeParse(profile).error).toBeUndefined()
    expect(outboundPolicy(profile)).toBe(policy)
  })

  test.each([
    [{ name: '' }],
    [{ reed: ['/x'] }],
    [{ read: '/x' }],
    [{ read: [''] }],
    [{ privileged: 'yes' }],
    [{ network: { inbound: {} } }],
    [{ network: { outbound: { allow_port: [0] } } }],
    [{ network: { outbound: { allow_port: [65_536] } } }],
    [{ network: { outbound: { allow_port: ['443'] } } }],
    [{ network: { outbound: { allow_host: [''] } } }],
    [null],
    [[]],
  ])('cannot be %j', (profile) => {
    expect(permissionProfile.safeParse(profile).success).toBe(false)
  })
})
