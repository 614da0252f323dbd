import type { RegisteredClient } from '@toolhaven/contract/clients'
import { expect, test } from 'vitest'
import { deletionCommand, describeDeletion } from './describe-deletion.ts'

const clients: RegisteredClient[] = [
  { name: 'Cursor', groups: ['research'] },
  { name: 'VSCode', groups: ['default'] },
  { name: 'Zed', groups: ['default', 'research'] },
]

test('servers that move are seen by other clients, and both are named', () => {
  expect(describeDeletion({ group: 'research', members: ['a', 'b'], clients, withServers: false })).toEqual([
    'a and b move to the group default, without a restart.',
    'Cursor no longer sees them.',
    'VS Code sees them from now on.',
  ])
})

test('servers that are removed and clients that leave are named', () => {
  expect(describeDeletion({ group: 'research', members: ['a'], clients, withServers: true })).toEqual([
    'a is removed with its configuration, logs and client entries.',
    'Cursor and Zed leave the group.',
  ])
  expect(describeDeletion({ group: 'empty', members: [], clients, withServers: false })).toEqual(['It has no servers.'])
})

test('the command does the same without a question', () => {
  expect(deletionCommand({ group: 'research', members: ['a'], withServers: true })).toBe(
    'thv group rm research --with-workloads --yes',
  )
  expect(deletionCommand({ group: 'empty', members: [], withServers: false })).toBe('thv group rm empty')
})
