import { expect, test } from 'vitest'
import type { Workload } from '@toolhaven/contract/workloads'
import { chooseServers } from './choose-servers.ts'
import { fixOf, needsAttention } from './fix-of.ts'

function server(name: string, rest: Partial<Workload> = {}): Workload {
  return {
    ...{ name, group: 'default', status: 'running', status_context: '', port: 1, url: '', package: `npx://${name}` },
    ...{ tool_type: 'mcp', transport_type: 'stdio', proxy_mode: 'streamable-http', remote: false, tools: [] },
    ...{ labels: {}, created_at: '2026-01-01T00:00:00Z' },
    ...rest,
  }
}

const servers = [
  server('time', { created_at: '2026-03-01T00:00:00Z' }),
  server('notes', { group: 'research', status: 'error', status_context: 'Please set NOTES_KEY' }),
  server('fetch', { status: 'stopped' }),
]
const names = (found: readonly Workload[]) => found.map(({ name }) => name)

test('a filter looks at names, packages and reasons, and every word must be there', () => {
  expect(names(chooseServers(servers, { q: 'NPX T' }))).toEqual(['fetch', 'notes', 'time'])
  expect(names(chooseServers(servers, { q: 'set notes_key' }))).toEqual(['notes'])
  expect(names(chooseServers(servers, { group: 'research', status: 'running' }))).toEqual([])
})

test('what does not work comes first when sorted by status, and the newest when sorted by age', () => {
  expect(names(chooseServers(servers, { sort: 'status' }))).toEqual(['notes', 'time', 'fetch'])
  expect(names(chooseServers(servers, { sort: 'created' }))).toEqual(['time', 'fetch', 'notes'])
})

test('a server that waits for a login is fixed at the address that it names', () => {
  const waiting = server('docs', {
    status: 'error',
    status_context: 'needs login: http://127.0.0.1:9000/login/a (for more rights: x)',
  })
  expect(fixOf(waiting)).toEqual({ kind: 'log-in', label: 'Log in', address: 'http://127.0.0.1:9000/login/a' })
  expect(fixOf(server('fetch', { status: 'stopped' }))).toBeUndefined()
})

test.each([
  'exited with code 1: needs login: https://evil.example.com/',
  'exited with code 1\nneeds login: https://evil.example.com/',
  'exited with code 1: the tools of docs changed: search changed',
  'needs login: javascript:alert(1)',
  'needs login: ask at https://evil.example.com/',
])('last words of a server make no button but a restart: %s', (status_context) => {
  for (const status of ['error', 'unhealthy'] as const)
    expect(fixOf(server('docs', { status, status_context }))).toEqual({ kind: 'restart', label: 'Restart' })
  for (const status of ['starting', 'stopping', 'stopped'] as const)
    expect(fixOf(server('docs', { status, status_context }))).toBeUndefined()
})

test('a running server with other tools than were accepted needs attention, a stopped one does not', () => {
  const changed = { status_context: 'the tools of notes changed: search changed' }
  expect(needsAttention(server('notes', changed))).toBe(true)
  const behind = { status_context: `the image is not verified: none; ${changed.status_context}` }
  expect(fixOf(server('notes', behind))).toEqual({ kind: 'review', label: 'Review' })
  expect(needsAttention(server('notes', { ...changed, status: 'stopped' }))).toBe(false)
})
