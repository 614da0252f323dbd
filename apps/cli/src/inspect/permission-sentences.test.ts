import type { WorkloadDetails } from '@toolhaven/contract/workloads'
import { expect, test } from 'vitest'
import { permissionSentences } from './permission-sentences.ts'
import { lastExit } from './read-inspection.ts'

const plain: WorkloadDetails = {
  ...{
    name: 'time',
    group: 'default',
    status: 'running',
    status_context: '',
    port: 18342,
    url: 'http://127.0.0.1:18342',
  },
  ...{ package: 'npx://time@1.0.0', tool_type: 'mcp', transport_type: 'stdio', proxy_mode: 'streamable-http' },
  ...{ remote: false, tools: [], labels: {}, network_mode: 'isolated', created_at: '2026-01-15T09:30:00Z' },
}
const say = (details: Partial<WorkloadDetails>) => permissionSentences({ ...plain, ...details })
const outbound = (rules: object) => say({ permission_profile: { network: { outbound: rules } } })[0]

test('what a workload reaches is one sentence', () => {
  expect(outbound({})).toBe('It reaches nothing on any network.')
  expect(outbound({ insecure_allow_all: true })).toBe('It can reach every public host.')
  expect(outbound({ insecure_allow_all: true, allow_host: ['localhost:5432'] })).toBe(
    'It can reach every public host, and localhost:5432.',
  )
  expect(outbound({ allow_host: ['api.example.com', '[::1]:80'] })).toBe(
    'It can reach api.example.com (port 80, 443), [::1]:80, and nothing else.',
  )
  expect(outbound({ allow_port: [443] })).toBe('It can reach every public host at port 443.')
  expect(say({ network_mode: 'host' })[0]).toContain('shares the network of this machine')
  expect(say({ network_isolation_mode: 'observe' })[0]).toContain('is recorded')
})

test('files, secrets, callers and tools have sentences of their own', () => {
  expect(
    say({
      permission_profile: { read: ['/etc/hosts'], write: ['/srv/out:/out'] },
      volumes: ['/srv/notes:/notes:ro', '/srv/work:/work'],
      secrets: [{ name: 'token', target: 'TOKEN' }],
      tools: ['echo'],
      oidc: { issuer: 'https://id.example.com' },
      authz_config: '{}',
    }).slice(1),
  ).toEqual([
    'It can read /etc/hosts, /srv/notes.',
    'It can read and change /srv/out, /srv/work.',
    'It gets the secret token as TOKEN.',
    'Clients see only these tools: echo.',
    'Only callers with a token from https://id.example.com can call it.',
    'Cedar policies decide which calls are allowed.',
  ])
  expect(say({ folder: { path: '/srv/own' } })[1]).toBe('It can read /srv/own.')
  expect(say({ folder: { path: '/srv/own', write: true } })[1]).toBe('It can read and change /srv/own.')
  expect(say({ remote: true })).toEqual([
    'It is a remote server: nothing of it runs on this machine.',
    'Every program of this machine can call it.',
  ])
})

test('the last exit is told with what the server wrote before it', () => {
  const ended = '[toolhaven] the server exited with code 3; it starts again in 1 s'
  const lines = ['[toolhaven] the server exited with code 9', 'no key', 'bye', ended, 'ready'].map((text) => ({ text }))
  expect(lastExit(lines)).toEqual({
    last_exit: { message: ended.slice('[toolhaven] '.length), last_lines: ['no key', 'bye'], times: 2 },
  })
  expect(lastExit([{ text: 'ready' }])).toEqual({})
})
