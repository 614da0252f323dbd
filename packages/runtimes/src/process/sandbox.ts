import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describeError } from '@toolhaven/core/errors'
import { findProgram } from '../package-index/find-program.ts'
import { collectOutput } from '../package-index/run-program.ts'
import { refuseNul } from '../refuse-nul.ts'
import type { BubblewrapBase } from './bubblewrap.ts'
import { sandboxExecProfile } from './sandbox-exec.ts'
import { SANDBOX_NODE } from './sandbox-plan.ts'
import type { SandboxPlan } from './sandbox-plan.ts'
import { seccompFilter } from './seccomp.ts'
import { spawnBubblewrap } from './spawn-bubblewrap.ts'
import type { SandboxProcess, SpawnOptions } from './spawn-bubblewrap.ts'
import { systemBinds } from './system-binds.ts'
import { unshareArgs } from './unshare.ts'

/** The strongest sandbox that this machine supports. */
export interface Sandbox {
  kind: 'bubblewrap' | 'unshare' | 'sandbox-exec' | 'none'
  /** A few words, with the version. */
  description: string
  /** Missing protections, one sentence each. */
  notes: string[]
  /** Whether plans see only their own binds. Otherwise, paths inside are the machine's. */
  isolatesFiles: boolean
  /** Whether a plan can be cut off from the network. */
  isolatesNetwork: boolean
  /**
   * Whether a plan can run behind a forwarder. That protects the server only if the sandbox also keeps it from other
   * users' files and from unusual sockets.
   */
  takesForwarder: boolean
  spawn(plan: SandboxPlan, options: SpawnOptions, signal: AbortSignal): Promise<SandboxProcess>
}

export interface SandboxOptions {
  dataDir: string
  nodePath: string
  env: Readonly<Record<string, string | undefined>>
  allowUnsandboxed: boolean
  platform: NodeJS.Platform
  arch: string
  isRoot: boolean
}

/**
 * Tries each kind, the strongest first. Without any, `reason` says what to install. Kinds that leave the user's files readable
 * are tried only if the user allows them.
 */
export async function detectSandbox(
  options: SandboxOptions,
  signal: AbortSignal,
): Promise<Sandbox | { reason: string }> {
  const reasons: string[] = []
  const weak = options.allowUnsandboxed ? [detectUnshare] : []
  for (const detect of options.platform === 'darwin' ? [detectSandboxExec] : [detectBubblewrap, ...weak]) {
    const found = await detect(options, signal)
    if ('kind' in found) return found
    reasons.push(found.reason)
  }
  if (options.allowUnsandboxed) return unsandboxed()
  return { reason: reasons.join(' ') }
}

async function detectBubblewrap(options: SandboxOptions, signal: AbortSignal): Promise<Sandbox | { reason: string }> {
  const program = await findProgram('bwrap', options.env['PATH'])
  if (program === undefined)
    return { reason: 'bubblewrap is not installed (apt install bubblewrap, dnf install bubblewrap).' }
  const system = await systemBinds(join(options.dataDir, 'sandbox'))
  const seccomp = seccompFilter(options.arch)
  const trials = [
    { disableUserns: true, limitsSizes: true, filter: seccomp },
    { disableUserns: false, limitsSizes: true, filter: seccomp },
    { disableUserns: false, limitsSizes: false, filter: seccomp },
    { disableUserns: false, limitsSizes: false, filter: undefined },
  ].map(({ filter, ...can }) => bubblewrapSandbox(program, { ...system, ...can }, filter, options))
  let failure = ''
  const strongestOf = async (sandboxes: readonly Sandbox[]): Promise<Sandbox | undefined> => {
    for (const [stronger, sandbox] of sandboxes.entries()) {
      const outcome = await tryOut(sandbox, options.nodePath, signal)
      // A stronger one may have failed only because the machine was busy.
      if (outcome === undefined) return (await strongestOf(sandboxes.slice(0, stronger))) ?? sandbox
      failure = outcome
    }
    return undefined
  }
  const found = await strongestOf(trials)
  if (found !== undefined)
    return { ...found, description: await describeBubblewrap(program, found.takesForwarder, signal) }
  return {
    reason: `bubblewrap is installed but cannot make a sandbox here (${failure}). Allow it to create user namespaces.`,
  }
}

function bubblewrapSandbox(
  program: string,
  base: BubblewrapBase,
  seccomp: Uint8Array | undefined,
  { isRoot }: SandboxOptions,
): Sandbox {
  const notes = [
    ...(isRoot
      ? [
          'The daemon runs as root: servers hold no capability, but files they may write are owned by root. Run the daemon as an ordinary user.',
        ]
      : []),
    ...(base.disableUserns
      ? []
      : ['This bubblewrap cannot forbid nested user namespaces (--disable-userns needs version 0.8).']),
    ...(base.limitsSizes
      ? []
      : [
          'This bubblewrap cannot limit the size of temporary folders, which are in memory (--size needs version 0.7).',
        ]),
    ...(seccomp === undefined ? ['No system call filter is in force on this processor or kernel.'] : []),
  ]
  return {
    kind: 'bubblewrap',
    description: 'bubblewrap',
    notes,
    isolatesFiles: true,
    isolatesNetwork: true,
    takesForwarder: seccomp !== undefined,
    spawn: (plan, spawnOptions, signal) => spawnBubblewrap({ ...base, program, seccomp }, plan, spawnOptions, signal),
  }
}

async function describeBubblewrap(program: string, filtered: boolean, signal: AbortSignal): Promise<string> {
  const child = spawn(program, ['--version'], { stdio: ['ignore', 'pipe', 'pipe'], env: {} })
  const { stdout } = await collectOutput(child, () => child.kill(), signal)
  const version = /\d+(\.\d+)*/.exec(stdout)?.[0] ?? ''
  return `bubblewrap ${version}${filtered ? ', system call filter' : ''}`
}

async function detectUnshare(options: SandboxOptions, signal: AbortSignal): Promise<Sandbox | { reason: string }> {
  const program = await findProgram('unshare', options.env['PATH'])
  if (program === undefined) return { reason: 'unshare is not installed.' }
  const sandbox: Sandbox = {
    kind: 'unshare',
    description: 'unshare (namespaces only, weaker than bubblewrap)',
    notes: ['Servers can read the files of the user the daemon runs as. Install bubblewrap to prevent that.'],
    isolatesFiles: false,
    isolatesNetwork: true,
    takesForwarder: false,
    spawn: (plan, spawnOptions, spawnSignal) =>
      spawnPlain([program, ...unshareArgs(plan)], plan, spawnOptions, spawnSignal),
  }
  const failure = await tryOut(sandbox, options.nodePath, signal)
  return failure === undefined ? sandbox : { reason: `unshare cannot make namespaces here (${failure}).` }
}

/** Not verified on macOS. */
async function detectSandboxExec(options: SandboxOptions, signal: AbortSignal): Promise<Sandbox | { reason: string }> {
  const program = await findProgram('sandbox-exec', '/usr/bin')
  if (program === undefined) return { reason: 'sandbox-exec is missing from /usr/bin.' }
  const tempDir = join(options.dataDir, 'sandbox', 'tmp')
  await mkdir(tempDir, { recursive: true, mode: 0o700 })
  const sandbox: Sandbox = {
    kind: 'sandbox-exec',
    description: 'sandbox-exec (not verified on this system)',
    notes: ['The macOS sandbox is written but not verified. Servers share one folder for temporary files.'],
    isolatesFiles: false,
    isolatesNetwork: true,
    takesForwarder: false,
    spawn: (plan, spawnOptions, spawnSignal) => {
      const command = [program, '-p', sandboxExecProfile(plan, tempDir), plan.program, ...plan.args] as const
      return spawnPlain(command, plan, spawnOptions, spawnSignal)
    },
  }
  const failure = await tryOut(sandbox, options.nodePath, signal)
  return failure === undefined ? sandbox : { reason: `sandbox-exec does not work here (${failure}).` }
}

function unsandboxed(): Sandbox {
  return {
    kind: 'none',
    description: 'none: servers run with all rights of the daemon',
    notes: ['No sandbox is in force: servers read and change whatever the user of the daemon may.'],
    isolatesFiles: false,
    isolatesNetwork: false,
    takesForwarder: false,
    spawn: (plan, options, signal) => spawnPlain([plan.program, ...plan.args], plan, options, signal),
  }
}

/** In its own process group, so that descendants end with it. */
async function spawnPlain(
  command: readonly [string, ...string[]],
  plan: SandboxPlan,
  options: SpawnOptions,
  signal: AbortSignal,
): Promise<SandboxProcess> {
  signal.throwIfAborted()
  // Node refuses them too, but its error would quote a secret.
  refuseNul([...command, ...Object.entries(plan.env).flat()])
  const [program, ...args] = command
  const stdio = [options.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'] satisfies ('pipe' | 'ignore')[]
  const child = spawn(program, args, { cwd: plan.workDir, env: { ...plan.env }, stdio, shell: false, detached: true })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  const signalAll = (name: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name)
    } catch {
      // No process of the group is left, which is the goal.
    }
  }
  try {
    if (child.pid !== undefined) await options.beforeStart?.(child.pid)
    signal.throwIfAborted()
  } catch (error) {
    signalAll('SIGKILL')
    throw error
  }
  return { child, ready: Promise.resolve(), terminate: () => signalAll('SIGTERM'), kill: () => signalAll('SIGKILL') }
}

/** Undefined when Node runs in it. Otherwise its output. */
async function tryOut(sandbox: Sandbox, nodePath: string, signal: AbortSignal): Promise<string | undefined> {
  const program = sandbox.isolatesFiles ? SANDBOX_NODE : nodePath
  const binds = [{ hostPath: nodePath, sandboxPath: program, readOnly: true }]
  try {
    const plan: SandboxPlan = { program, args: ['--version'], env: {}, workDir: '/', binds, network: 'none' }
    const { child, kill } = await sandbox.spawn(plan, { stdin: false }, signal)
    const { exitCode, stdout, stderr } = await collectOutput(child, kill, signal)
    if (exitCode === 0 && stdout.startsWith('v')) return undefined
    return stderr.trim().split('\n').at(-1) ?? `exit code ${exitCode}`
  } catch (error) {
    signal.throwIfAborted()
    return describeError(error)
  }
}
