import type { UpdateRequest } from '@toolhaven/contract/workload-request'
import { expect, test } from 'vitest'
import { differencesOf } from './differences.ts'
import { updateOf } from './update-of.ts'

const asked = {
  name: 'time',
  image: 'time',
  env_vars: { A: '1', B: '2' },
  secrets: [{ name: 'key', target: 'KEY' }],
  volumes: ['/old:/notes:ro', '/work:/work'],
  resources: { memory_mb: 512, pids: 64 },
  tools: ['echo'],
}

test('options that may be repeated are added, and the others replace what there was', () => {
  const wished = {
    env_vars: { B: '3', C: '4' },
    secrets: [{ name: 'other', target: 'KEY' }],
    volumes: ['/new:/notes'],
    resources: { memory_mb: 1024 },
    tools: ['add'],
    allow_hosts: ['api.example.com'],
  }
  expect(updateOf(asked, wished, [])).toEqual({
    env_vars: { A: '1', B: '3', C: '4' },
    secrets: [{ name: 'other', target: 'KEY' }],
    volumes: ['/work:/work', '/new:/notes'],
    resources: { memory_mb: 1024, pids: 64 },
    tools: ['add'],
    allow_hosts: ['api.example.com'],
  })
})

test('an option, or one entry of it, is taken back', () => {
  const unset = ['env=A', 'secret=KEY', '--volume=/notes', 'memory', 'tools', 'args']
  expect(updateOf(asked, {}, unset)).toEqual({
    ...{ env_vars: { B: '2' }, secrets: [], volumes: ['/work:/work'], resources: { pids: 64 } },
    ...{ tools: null, cmd_arguments: null },
  })
  expect(() => updateOf({ ...asked, env_vars: {} }, {}, ['env=AA'])).toThrow(
    '--unset env=AA: the workload has no value of --env\n"thv inspect NAME" shows what it has.',
  )
  expect(() => updateOf(asked, {}, ['env=AA'])).toThrow('--unset env=AA: there is no such entry; there are: A, B')
  expect(() => updateOf(asked, {}, ['memoyr'])).toThrow('did you mean memory?')
})

const observed = { url: 'https://example.com/mcp', headers: { A: '1' }, telemetry_config: telemetry() }
function telemetry() {
  return { endpoint: 'localhost:4318', headers: { A: '1', B: '2' }, environmentVariables: ['X'] }
}

test('a header is taken back wherever its value is, and the others stay', () => {
  const secret = { Authorization: 'web-header-authorization', 'X-Key': 'web-header-x-key' }
  const remote = { url: 'https://example.com/mcp', headers: { A: '1', B: '2' }, headers_from_secrets: secret }
  expect(updateOf(remote, {}, ['header=A'])).toEqual({ headers: { B: '2' } })
  expect(updateOf(remote, {}, ['header=X-Key'])).toEqual({
    headers_from_secrets: { Authorization: 'web-header-authorization' },
  })
  expect(updateOf(remote, {}, ['header'])).toEqual({ headers: null, headers_from_secrets: null })
  expect(() => updateOf(remote, {}, ['header=C'])).toThrow('there is no such entry; there are: A, B')
})

test('options within telemetry and headers are added and taken back one by one', () => {
  const wished = { telemetry_config: { headers: { C: '3' }, environmentVariables: ['Y'] }, headers: { B: '2' } }
  expect(updateOf(observed, wished, [])).toEqual({
    telemetry_config: { ...telemetry(), headers: { A: '1', B: '2', C: '3' }, environmentVariables: ['X', 'Y'] },
    headers: { A: '1', B: '2' },
  })
  const unset = ['otel-headers=A', 'otel-env-vars=X']
  const less = { endpoint: 'localhost:4318', headers: { B: '2' } }
  expect(updateOf(observed, {}, unset)).toEqual({ telemetry_config: less })
  expect(() => updateOf(observed, {}, ['otel-headers=Z'])).toThrow('there is no such entry; there are: A, B')
  expect(updateOf(observed, {}, ['otel-headers', 'otel-env-vars', 'otel-endpoint'])).toEqual({ telemetry_config: {} })
})

test('whatever an edit shows can be taken back', () => {
  const flags = ['accept-network', 'accept-mounts', 'ignore-globally', 'print-overlays', 'enable-audit']
  const telemetryFlags = ['otel-service-name', 'otel-sampling-rate', 'otel-enable-prometheus-metrics-path']
  for (const flag of [...flags, ...telemetryFlags]) expect(() => updateOf(asked, {}, [flag]), flag).not.toThrow()
  const changes = (update: UpdateRequest) => differencesOf(asked, update).map(({ change }) => change)
  expect(changes({ env_vars: { B: '2' } })).toEqual(['removed'])
  expect(changes({ env_vars: { A: '1', B: '2', C: '3' } })).toEqual(['added'])
})

test('differences are told by option, without values that may be keys', () => {
  const update = {
    env_vars: { A: '1', B: '3' },
    resources: { memory_mb: 512 },
    tools: null,
    group: 'research',
    image: 'time',
  }
  expect(differencesOf(asked, update)).toEqual([
    { option: '--pids', change: 'removed', from: 64 },
    { option: '--env B', change: 'changed', hidden: true },
    { option: '--tools', change: 'removed', from: ['echo'] },
    { option: '--group', change: 'added', to: 'research' },
  ])
})
