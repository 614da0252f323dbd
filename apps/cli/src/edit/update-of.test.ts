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
  expect(() => updateOf(asked, {}, ['env=AA'])).toThrow('--unset env=AA: there is no such entry; there are: A, B')
  expect(() => updateOf(asked, {}, ['memoyr'])).toThrow('did you mean memory?')
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
    { option: '--pids', from: 64 },
    { option: '--env B', hidden: true },
    { option: '--tools', from: ['echo'] },
    { option: '--group', to: 'research' },
  ])
})
