import type { PermissionProfile } from '@toolhaven/contract/permission-profile'
import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { expect, test } from 'vitest'
import { allowHost, removeHost } from './host-updates.ts'
import { placesOf } from './places.ts'

const at = { first_seen: '2026-01-15T09:30:04Z', last_seen: '2026-01-15T09:41:50Z' }
const seen = (host: string, port: number, count: number, blocked = 0) => ({
  ...{ host, port, count, blocked, speaks: [], paths: [], ...at },
})
const list = (allow_host: string[], allow_port?: number[]) => ({
  network: { outbound: { allow_host, ...(allow_port && { allow_port }) } },
})
const shown = (sources: Parameters<typeof placesOf>[0]) =>
  placesOf(sources).map(({ entry, isAsked, given, observed, refused, action }) => [
    ...[entry, isAsked, given, observed.length, refused.length],
    action && `${action.kind} ${action.host}`,
  ])

test('asked, given, observed and refused stand in one line for each host', () => {
  const lesson = {
    evidence: [seen('api.example.com', 443, 4), seen('cdn.example.org', 443, 2, 2), seen('a.wild.example', 443, 1)],
    left_out: [{ host: 'localhost', port: 5432, count: 1, ...at, reason: 'it is an address of this machine' }],
  }
  const given = list(['api.example.com', '*.wild.example'])
  expect(shown({ asked: list(['api.example.com', 'extra.example.com']), given, lesson })).toEqual([
    ['api.example.com', true, 'listed', 1, 0, 'remove api.example.com'],
    ['*.wild.example', false, 'listed', 0, 0, 'remove *.wild.example'],
    ['extra.example.com', true, 'no', 0, 0, 'allow extra.example.com'],
    ['cdn.example.org', false, 'no', 0, 1, 'allow cdn.example.org'],
    ['a.wild.example', false, 'below a wildcard', 1, 0, undefined],
    ['localhost:5432', false, 'no', 0, 1, 'allow localhost:5432'],
  ])
})

test('a listed host that was refused at another port can be allowed there', () => {
  const lesson = { evidence: [seen('api.example.com', 8443, 3, 3)], left_out: [] }
  expect(shown({ asked: undefined, given: list(['api.example.com']), lesson })).toEqual([
    ['api.example.com', false, 'listed', 0, 1, 'allow api.example.com:8443'],
  ])
})

test('with every public host only private ones are left to allow', () => {
  const given = { name: 'network', network: { outbound: { insecure_allow_all: true } } }
  const left = { host: '192.168.1.5', port: 80, count: 1, ...at, reason: 'it is a private network' }
  const lesson = { evidence: [seen('api.example.com', 443, 1)], left_out: [left] }
  expect(shown({ asked: undefined, given, lesson })).toEqual([
    ['api.example.com', false, 'every public host', 1, 0, undefined],
    ['192.168.1.5', false, 'no', 0, 1, 'allow 192.168.1.5:80'],
  ])
})

test('while it is observed every public host is given', () => {
  const lesson = { evidence: [seen('api.example.com', 443, 1)], left_out: [] }
  expect(shown({ asked: undefined, given: list(['a.example.com']), lesson, isObserved: true })).toEqual([
    ['a.example.com', false, 'listed', 0, 0, 'remove a.example.com'],
    ['api.example.com', false, 'every public host', 1, 0, undefined],
  ])
})

const workload: WorkloadDetails = {
  ...{ name: 'web', group: 'default', status: 'running', status_context: '', port: 18342, package: 'npx://web@1.0.0' },
  ...{ url: 'http://127.0.0.1:18342/mcp', tool_type: 'mcp', transport_type: 'stdio', proxy_mode: 'streamable-http' },
  ...{ remote: false, tools: [], labels: {}, created_at: '2026-01-15T09:30:00Z' },
}

const configured = (request: object, permission_profile: PermissionProfile) => ({
  ...{ request: { image: 'web', ...request } },
  details: { ...workload, permission_profile },
})

test('a host is allowed besides what is given', () => {
  const base = configured({ allow_hosts: ['a.example.com'] }, list(['b.example.com', 'a.example.com']))
  expect(allowHost(base, 'c.example.com')).toEqual({ allow_hosts: ['a.example.com', 'c.example.com'] })
})

test('a host goes from where it is listed, and folders stay', () => {
  const base = configured({ allow_hosts: ['a'] }, { ...list(['b', 'c', 'a'], [443]), read: ['/data'] })
  expect(removeHost(base, 'a')).toEqual({ allow_hosts: [] })
  expect(removeHost(base, 'b')).toEqual({
    permission_profile: { read: ['/data'], network: { outbound: { allow_host: ['c'], allow_port: [443] } } },
  })
})

test('without its last host a list with ports lets nothing out, and not everything', () => {
  const nothing = { permission_profile: { network: { outbound: {} } } }
  expect(removeHost(configured({}, list(['a'], [443])), 'a')).toEqual(nothing)
  const added = configured({ allow_hosts: ['a'], permission_profile: list([], [443]) }, list(['a'], [443]))
  expect(removeHost(added, 'a')).toEqual({ allow_hosts: [], ...nothing })
})
