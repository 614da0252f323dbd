import type { PermissionProfile } from '@toolhaven/contract/permission-profile'
import type { RunConfig } from '@toolhaven/contract/run-config'
import { describe, expect, test } from 'vitest'
import type { SeenPlace, StoredWorkload } from '../../ports/stores.ts'
import { lessonOf } from './lesson.ts'

const [EARLY, LATE] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']
const seen = (place: string, change: Partial<SeenPlace> = {}): SeenPlace => {
  const at = place.lastIndexOf(':')
  return {
    ...{ host: place.slice(0, at), port: Number(place.slice(at + 1)), outcome: 'reached', speaks: ['tls'], paths: [] },
    ...{ count: 1, firstAt: EARLY, lastAt: EARLY },
    ...change,
  }
}

function learn(
  places: SeenPlace[],
  profile: PermissionProfile = {},
  change: Partial<RunConfig> = {},
  dropped = 0,
  origin: Partial<StoredWorkload> = {},
) {
  const config: RunConfig = {
    ...{ schema_version: 'v0.1.0', name: 'web', transport: 'stdio', network_isolation_mode: 'observe' },
    permission_profile: profile,
    ...change,
  }
  if (change.network_isolation_mode === undefined && 'network_isolation_mode' in change)
    delete config.network_isolation_mode
  const stored: StoredWorkload = {
    ...{ asked: {}, config, wanted: 'running', port: 1, createdAt: EARLY, generation: 1, package: 'web' },
    profileOrigin: 'request',
    ...origin,
  }
  return lessonOf(stored, { name: 'web', since: EARLY, places, dropped })
}
const outboundOf = (...args: Parameters<typeof learn>) => learn(...args).permission_profile.network?.outbound
const list = (hosts: string[], ports?: number[]): PermissionProfile => ({
  network: { outbound: { allow_host: hosts, ...(ports && { allow_port: ports }) } },
})
const ENFORCED = { network_isolation_mode: undefined }

test.each<[string, Partial<SeenPlace>]>([
  ['refused by every list', { outcome: 'refused', reason: 'blocked: 169.254.169.254 is never reached' }],
  ['not reachable', { outcome: 'unreachable', reason: 'nobody answers' }],
])('a workload whose only attempt was %s keeps its profile', (_what, change) => {
  const profile = list(['a.example'], [443])
  const lesson = learn([seen('b.example:443', change)], profile)
  expect(lesson.permission_profile).toEqual(profile)
  expect(lesson.notes).toContainEqual(expect.stringContaining('no smaller profile is known to work'))
  expect(lesson.notes).not.toContain('it has not used the network so far')
})

describe('the smallest profile of an observed workload', () => {
  test.each<[string, SeenPlace[], object]>([
    ['nothing', [], {}],
    ['one host with TLS', [seen('a.example:443')], { allow_host: ['a.example'], allow_port: [443] }],
    [
      'both ports of the web, which need no list of ports',
      [seen('b.example:443'), seen('a.example:80', { speaks: ['http'] })],
      { allow_host: ['a.example', 'b.example'] },
    ],
    [
      'another protocol on a port of the web, which only a list of ports carries',
      [seen('a.example:443'), seen('a.example:80', { speaks: ['other'] })],
      { allow_host: ['a.example'], allow_port: [80, 443] },
    ],
    [
      'plain HTTP in a tunnel, for which the same holds',
      [seen('a.example:443'), seen('a.example:80', { speaks: ['http-tunnel'] })],
      { allow_host: ['a.example'], allow_port: [80, 443] },
    ],
    [
      'another port',
      [seen('a.example:8443'), seen('a.example:443')],
      { allow_host: ['a.example'], allow_port: [443, 8443] },
    ],
    ['a public address', [seen('2606:4700::1:443')], { allow_host: ['2606:4700::1'], allow_port: [443] }],
  ])('for %s', (_what, places, outbound) => {
    expect(outboundOf(places)).toEqual(outbound)
  })

  test('has the evidence for each place, let through or not', () => {
    const places = [
      seen('a.example:443', { count: 2, firstAt: LATE, lastAt: LATE }),
      seen('a.example:443', { outcome: 'unlisted', speaks: [], count: 3 }),
      seen('a.example:80', { speaks: ['http'], paths: ['/x'] }),
    ]
    expect(learn(places).evidence).toEqual([
      {
        ...{ host: 'a.example', port: 80, count: 1, blocked: 0, speaks: ['http'], paths: ['/x'] },
        ...{ first_seen: EARLY, last_seen: EARLY },
      },
      {
        ...{ host: 'a.example', port: 443, count: 5, blocked: 3, speaks: ['tls'], paths: [] },
        ...{ first_seen: EARLY, last_seen: LATE },
      },
    ])
  })

  test('leaves out what no list would let through, and says why', () => {
    const lesson = learn([
      seen('in.example:443', { outcome: 'refused', reason: 'private' }),
      seen('front.example:443', { outcome: 'unfit', reason: 'TLS for another' }),
      seen('down.example:443', { outcome: 'unreachable', reason: 'silent' }),
      seen('10.0.0.7:5432', { outcome: 'unlisted' }),
      seen('a.example:443'),
      seen('a.example:443', { outcome: 'unreachable', reason: 'silent' }),
    ])
    expect(lesson.permission_profile).toEqual(list(['a.example'], [443]))
    expect(lesson.left_out.map(({ host, reason }) => [host, reason])).toEqual([
      ['in.example', 'private'],
      ['front.example', 'TLS for another'],
      ['down.example', 'silent'],
      ['10.0.0.7', expect.stringContaining('add 10.0.0.7:5432 to allow_host yourself')],
    ])
  })

  test('drops what was listed and not used, and says so', () => {
    const lesson = learn([seen('10.0.0.1:443')], list(['10.0.0.1', '*.b.example']))
    expect(lesson.permission_profile).toEqual(list(['10.0.0.1'], [443]))
    expect(lesson.notes).toEqual(['listed before, but not used since: *.b.example'])
  })

  test('keeps mounts as they are, and says that their use is not seen', () => {
    const { permission_profile: profile, notes } = learn([], { name: 'mine', read: ['/data/a'], write: ['/data/b'] })
    const mounts = { read: ['/data/a'], write: ['/data/b'] }
    expect(profile).toEqual({ name: 'none', ...mounts, network: { outbound: {} } })
    expect(notes.join()).toContain('mounts stay unchanged')
    expect(learn([], {}, { volumes: ['/data/a:/a'] }).notes.join()).toContain('mounts stay unchanged')
  })

  test('says that hosts and ports are lists apart, and that not everything was kept', () => {
    const { notes } = learn([seen('a.example:443'), seen('b.example:8443')], {}, {}, 7)
    expect(notes).toEqual([expect.stringContaining('each of these hosts'), expect.stringContaining('7 attempts')])
    expect(learn([seen('a.example:443'), seen('a.example:8443')]).notes).toEqual([])
  })
})

describe('the smallest profile of one with hosts listed with their port', () => {
  const before = list(['localhost:5432', '10.0.0.1:22', 'quiet.example:8443'])

  test('has those it used in the same form, and no list of ports for them', () => {
    const uses = [seen('localhost:5432', { speaks: ['other'] }), seen('10.0.0.1:22', { speaks: ['other'] })]
    const lesson = learn(uses, before)
    expect(lesson.permission_profile).toEqual(list(['10.0.0.1:22', 'localhost:5432']))
    expect(lesson.notes).toEqual(['listed before, but not used since: quiet.example:8443'])
    expect(outboundOf([...uses, seen('a.example:443')], before)).toEqual({
      allow_host: ['10.0.0.1:22', 'a.example', 'localhost:5432'],
      allow_port: [443],
    })
  })

  test('keeps them, adds another port of a public one, and no other port of this machine', () => {
    const blocked = ['quiet.example:443', 'localhost:6379', '10.0.0.1:23'].map((place) =>
      seen(place, { outcome: 'unlisted', speaks: [] }),
    )
    const lesson = learn(blocked, before, ENFORCED)
    expect(lesson.permission_profile).toEqual(
      list(['localhost:5432', '10.0.0.1:22', 'quiet.example:8443', 'quiet.example:443']),
    )
    expect(lesson.left_out.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('add localhost:6379 to allow_host yourself'),
      expect.stringContaining('add 10.0.0.1:23 to allow_host yourself'),
    ])
  })
})

describe('the smallest profile of one whose list has a wildcard with a port', () => {
  const uses = [seen('db.example:5432', { speaks: ['other'] })]

  test('names what was used without the port, so that the name cannot lead to a private address later', () => {
    expect(outboundOf(uses, list(['*.example:5432']))).toEqual({ allow_host: ['db.example'], allow_port: [5432] })
  })

  test('keeps the wildcard while the list is in force, and names what it blocked in the same way', () => {
    expect(outboundOf(uses, list(['*.example:5432']), ENFORCED)).toEqual({ allow_host: ['*.example:5432'] })
    const blocked = seen('db.example:22', { outcome: 'unlisted', speaks: [] })
    expect(outboundOf([...uses, blocked], list(['*.example:5432']), ENFORCED)).toEqual({
      allow_host: ['*.example:5432', 'db.example'],
      allow_port: [22],
    })
  })
})

describe('the smallest profile where a registry entry chose the one in force', () => {
  const hosts = ['nas.example:445', '10.0.0.1:22', 'localhost:5432', 'a.example']
  const entry: PermissionProfile = { read: ['~/.ssh:/keys'], write: ['/data'], privileged: true, ...list(hosts) }
  const uses = ['nas.example:445', '10.0.0.1:22', 'a.example:443'].map((place) => seen(place))
  const ofEntry = (asked: StoredWorkload['asked'], change = {}) =>
    learn(uses, entry, change, 0, { profileOrigin: 'registry', asked })

  test.for([{}, ENFORCED])('has nothing that the user would have to confirm and did not: %j', (change) => {
    const lesson = ofEntry({}, change)
    expect(lesson.permission_profile).toEqual(
      list(['a.example', 'nas.example'], [...(change === ENFORCED ? [80] : []), 443, 445]),
    )
    expect(lesson.left_out).toMatchObject([{ host: '10.0.0.1', port: 22 }])
    expect(lesson.notes.join()).toContain('you have not confirmed it: ~/.ssh:/keys, /data, privileged')
  })

  test('has what the user confirmed or gave', () => {
    const confirmed = ofEntry({ accept_mounts: true, accept_network: true }).permission_profile
    expect(confirmed).toMatchObject({ read: ['~/.ssh:/keys'], write: ['/data'], privileged: true })
    expect(confirmed.network?.outbound?.allow_host).toEqual(['10.0.0.1:22', 'a.example', 'nas.example:445'])
    const given = ofEntry({ allow_hosts: ['10.0.0.1:22'] }).permission_profile
    expect(given.network?.outbound?.allow_host).toEqual(['10.0.0.1:22', 'a.example', 'nas.example'])
  })
})

describe('a name that a program only asked for', () => {
  const asked = seen('new.example:0', { outcome: 'unlisted', speaks: [] })

  test('is in the profile, without a port', () => {
    expect(outboundOf([asked], list(['a.example']), ENFORCED)).toEqual({ allow_host: ['a.example', 'new.example'] })
    expect(learn([asked], list(['a.example']), ENFORCED).evidence).toMatchObject([{ host: 'new.example', port: 0 }])
  })

  test('has its port once the program connected', () => {
    const lesson = learn([asked, seen('new.example:8443')], list(['a.example']), ENFORCED)
    expect(lesson.permission_profile).toEqual(list(['a.example', 'new.example'], [80, 443, 8443]))
    expect(lesson.evidence.map(({ port }) => port)).toEqual([8443])
  })
})

describe('the smallest profile while a list is in force', () => {
  test('is that list, and what it blocked', () => {
    const blocked = seen('new.example:8443', { outcome: 'unlisted', speaks: [] })
    const lesson = learn([seen('x.b.example:443'), blocked], list(['quiet.example', '*.b.example']), ENFORCED)
    expect(lesson.mode).toBe('enforce')
    expect(lesson.permission_profile).toEqual(list(['quiet.example', '*.b.example', 'new.example'], [80, 443, 8443]))
    expect(lesson.notes.join()).toContain('not used since: quiet.example; it stays')
  })

  test('has a port that was blocked at a private address which is listed', () => {
    const blocked = seen('10.0.0.1:8080', { outcome: 'unlisted', speaks: [] })
    expect(outboundOf([blocked], list(['10.0.0.1'], [22]), ENFORCED)).toEqual({
      allow_host: ['10.0.0.1'],
      allow_port: [22, 8080],
    })
  })

  test('is what was used, where the profile allows everything', () => {
    const everything = { network: { outbound: { insecure_allow_all: true } } }
    expect(outboundOf([seen('a.example:443')], everything, { ...ENFORCED, isolate_network: true })).toEqual({
      allow_host: ['a.example'],
      allow_port: [443],
    })
  })
})
