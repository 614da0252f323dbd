import { expect, test } from 'vitest'
import { consequencesOf } from './consequences.ts'
import { flatDifferences } from './flat-differences.ts'

test('a difference is told down to the setting, and of a list only what goes and comes', () => {
  const outbound = (hosts: string[]) => ({ network: { outbound: { allow_host: hosts } } })
  const differences = [
    { field: 'env_vars.LEVEL', before: 'info', after: 'debug' },
    { field: 'permission_profile', before: outbound(['a', 'b']), after: outbound(['b', 'c']) },
    { field: 'limits', before: { requests_per_minute: 60 } },
  ]
  expect(flatDifferences(differences)).toEqual([
    { label: 'Variable LEVEL', before: ['info'], after: ['debug'] },
    { label: 'Hosts', before: ['a'], after: ['c'] },
    { label: 'Requests per minute', before: ['60'], after: [] },
  ])
})

test('another order of the same entries is a difference too', () => {
  const [change] = flatDifferences([{ field: 'cmd_args', before: ['-a', '-b'], after: ['-b', '-a'] }])
  expect(change).toEqual({ label: 'Arguments', before: ['-a', '-b'], after: ['-b', '-a'] })
})

const server = { name: 'web', status: 'running', url: 'http://127.0.0.1:18342/mcp', group: 'default' } as const
const clients = [
  { name: 'Cursor', groups: ['default', 'work'] },
  { name: 'VSCode', groups: ['work'] },
  { name: 'ClaudeCode', groups: ['default'] },
] as const

test('a move names the clients whose files change, and restarts nothing', () => {
  const plan = { differences: [{ field: 'group', before: 'default', after: 'work' }], restarts: false }
  expect(
    consequencesOf(
      server,
      plan,
      clients.map((client) => ({ ...client, groups: [...client.groups] })),
    ),
  ).toEqual([
    'Nothing restarts.',
    'The file of VS Code gets an entry for web.',
    'The file of Claude Code loses the entry for web.',
  ])
})

test('an edit says that a stopped server starts', () => {
  const plan = { differences: [{ field: 'tools_filter', after: ['echo'] }], restarts: false }
  expect(consequencesOf({ ...server, status: 'stopped' }, plan, [])).toEqual([
    'web is stopped. This change starts it.',
    'No client file changes.',
  ])
})
