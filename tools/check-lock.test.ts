import { expect, test } from 'vitest'
import { lockProblems } from './check-lock.ts'

const native = { optionalDependencies: { 'tool-linux': '1.0.0', 'tool-darwin': '1.0.0' } }

test('accepts native packages beside, above or below their owner', () => {
  const packages = { 'node_modules/a/node_modules/tool': native, 'node_modules/a/node_modules/tool-linux': {} }
  expect(lockProblems({ ...packages, 'node_modules/tool-darwin': {} })).toEqual([])
  expect(lockProblems({ ...packages, 'node_modules/a/node_modules/tool/node_modules/tool-darwin': {} })).toEqual([])
})

test('refuses a lock file that lacks the package of another platform', () => {
  const problems = lockProblems({ 'node_modules/tool': native, 'node_modules/tool-linux': {} })
  expect(problems).toEqual([expect.stringContaining('tool-darwin')])
})

test('refuses an entry that names its host, and accepts a workspace link', () => {
  const packages = {
    'node_modules/a': { resolved: 'https://packages.example/a.tgz' },
    'node_modules/b': { resolved: 'packages/b' },
  }
  expect(lockProblems(packages)).toEqual([expect.stringContaining('packages.example')])
})
