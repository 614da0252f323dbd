import { expect, test } from 'vitest'
import { sandboxExecProfile } from './sandbox-exec.ts'

const plan = {
  program: '/opt/node',
  args: [],
  env: {},
  workDir: '/',
  binds: [
    { hostPath: '/data/package', sandboxPath: '/data/package', readOnly: true },
    { hostPath: '/data/we"ird\\', sandboxPath: '/x', readOnly: false },
  ],
} as const

test('the macOS profile denies by default and writes only where it is told', () => {
  const lines = sandboxExecProfile({ ...plan, network: 'none' }, '/private/tmp/own').split('\n')
  expect(lines.slice(0, 2)).toEqual(['(version 1)', '(deny default)'])
  expect(lines).toContain('(allow file-write* (subpath "/private/tmp/own") (subpath "/data/we\\"ird\\\\"))')
  expect(lines.find((line) => line.startsWith('(allow file-read* process-exec'))).toContain('(subpath "/data/package")')
  expect(lines.join('\n')).not.toContain('(allow network*)')
})

test('the macOS profile opens the network only when it is asked to', () => {
  expect(sandboxExecProfile({ ...plan, network: 'full' }, '/t')).toContain('(allow network*)\n')
})
