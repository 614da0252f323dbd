import { detectSandbox } from './sandbox.ts'

/**
 * A separate program for sandbox.test.ts: a daemon with one endless server. It prints the number of the sandbox's first
 * process.
 */
const [dataDir = ''] = process.argv.slice(2)
const { platform, arch, execPath: nodePath, env } = process
const signal = AbortSignal.timeout(30_000)
const isRoot = process.getuid?.() === 0
const options = { dataDir, nodePath, env, allowUnsandboxed: false, platform, arch, isRoot }
const sandbox = await detectSandbox(options, signal)
if ('reason' in sandbox) throw new Error(sandbox.reason)
const plan = {
  program: '/usr/bin/sleep',
  args: ['infinity'],
  env: {},
  workDir: '/',
  binds: [],
  network: 'none',
} as const
let init = 0
const { ready } = await sandbox.spawn(
  plan,
  {
    stdin: false,
    beforeStart: async (pid) => {
      init = pid
    },
  },
  signal,
)
await ready
process.stdout.write(String(init))
