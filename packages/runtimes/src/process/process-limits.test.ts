import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { withProcessLimits } from './process-limits.ts'

test('what a server loads into programs is loaded after its limits are in force', async (context) => {
  if (process.platform !== 'linux') context.skip('only Linux has prlimit')
  const programs = { program: '/usr/bin/prlimit', setter: '/usr/bin/env' }
  const limits = { ...programs, limitsProcesses: false, most: { files: 512, processes: Infinity } }
  // The loader complains once for every program into which it should have loaded the file.
  const env = { PATH: '/usr/bin:/bin', LD_PRELOAD: '/absent/library.so', OTHER: 'x' }
  const script = 'ulimit -n; echo "$LD_PRELOAD $OTHER"'
  const plan = { program: '/bin/sh', args: ['-c', script], env, workDir: '/', binds: [], network: 'none' } as const
  const limited = withProcessLimits(plan, limits, 100)
  const { stdout, stderr } = await promisify(execFile)(limited.program, [...limited.args], { env: { ...limited.env } })
  expect(stdout).toBe('512\n/absent/library.so x\n')
  expect(stderr.match(/cannot be preloaded/g)).toHaveLength(1)
})
