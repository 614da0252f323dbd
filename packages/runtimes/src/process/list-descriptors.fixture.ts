import { collectOutput } from '../package-index/run-program.ts'
import { SANDBOX_NODE } from './sandbox-plan.ts'
import { detectSandbox } from './sandbox.ts'

/** A separate program for sandbox.test.ts: starts a sandbox and prints the descriptors that its server finds open. */
const [dataDir = ''] = process.argv.slice(2)
const signal = AbortSignal.timeout(30_000)
const { platform, arch, execPath: nodePath, env } = process
const sandbox = await detectSandbox(
  { dataDir, nodePath, env, allowUnsandboxed: false, platform, arch, isRoot: process.getuid?.() === 0 },
  signal,
)
if ('reason' in sandbox) throw new Error(sandbox.reason)
const binds = [{ hostPath: nodePath, sandboxPath: SANDBOX_NODE, readOnly: true }]
// The server starts find with everything that it inherited.
const program = '/usr/bin/find'
const args = ['/proc/self/fd', '-mindepth', '1', '-printf', '%f %l\\n']
const { child, kill } = await sandbox.spawn(
  { program, args, env: {}, workDir: '/', binds, network: 'none' },
  { stdin: false },
  signal,
)
const { stdout } = await collectOutput(child, kill, signal)
const lines = stdout
  .trim()
  .split('\n')
  .map((line) => line.split(' '))
// find's own descriptors for the folder that it reads.
process.stdout.write(
  JSON.stringify(
    Object.fromEntries(lines.filter(([, target]) => target !== '/' && !/^\/proc\/\d+\/fd$/.test(target ?? ''))),
  ),
)
