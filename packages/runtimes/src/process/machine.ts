import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeError, unavailable } from '@toolhaven/core/errors'
import type { RuntimeCapabilities, RuntimeHealth } from '@toolhaven/core/ports/runtime'
import { findControlGroups } from './control-group.ts'
import type { ControlGroups } from './control-group.ts'
import { findProcessLimits } from './process-limits.ts'
import type { ProcessLimits } from './process-limits.ts'
import { findUserScopes } from './user-scopes.ts'
import type { IsolationPlaces } from '../isolation/isolation-places.ts'
import { detectSandbox } from './sandbox.ts'
import type { Sandbox, SandboxOptions } from './sandbox.ts'

/** What this machine has to run servers safely. */
export interface Machine {
  sandbox: Sandbox
  controlGroups: ControlGroups
  processLimits: ProcessLimits | undefined
}

export type LookAtMachine = (signal: AbortSignal) => Promise<Machine>

/**
 * A result is kept while its files exist: the data folder may be removed under a running daemon. A failure is looked at
 * again, because the user may have installed what was missing.
 */
export function machineLook(
  options: Pick<SandboxOptions, 'dataDir' | 'nodePath' | 'env' | 'allowUnsandboxed'>,
): LookAtMachine {
  let found: Machine | undefined
  return async (signal) => {
    if (found !== undefined && !existsSync(join(options.dataDir, 'sandbox'))) found = undefined
    return (found ??= await look(options, signal))
  }
}

async function look(options: Parameters<typeof machineLook>[0], signal: AbortSignal): Promise<Machine> {
  const { platform, arch } = process
  const isRoot = process.getuid?.() === 0
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 })
  await mkdir(join(options.dataDir, 'sandbox'), { recursive: true })
  const sandbox = await detectSandbox({ ...options, platform, arch, isRoot }, signal)
  if ('reason' in sandbox) {
    throw unavailable(`Servers cannot be run safely without a container engine here: ${sandbox.reason}`)
  }
  const processLimits = await findProcessLimits(sandbox, options.env['PATH'], signal)
  return { sandbox, processLimits, controlGroups: await lookAtControlGroups(sandbox, options.env, signal) }
}

const CONTROL_GROUPS = '/sys/fs/cgroup'

/** Our own where all limits can be set there, otherwise those of the user's systemd. */
async function lookAtControlGroups(
  { kind }: Sandbox,
  env: SandboxOptions['env'],
  signal: AbortSignal,
): Promise<ControlGroups> {
  const ownGroups = await readFile('/proc/self/cgroup', 'utf8').catch(() => '')
  const own = await findControlGroups(CONTROL_GROUPS, ownGroups)
  // Other sandboxes would show the server the environment that systemd-run needs.
  if (kind !== 'bubblewrap' || Object.keys(own.unenforced).length === 0) return own
  return (await findUserScopes({ env, root: CONTROL_GROUPS }, signal)) ?? own
}

/** There are two ways to limit the number of processes. */
function unenforcedLimits({ controlGroups, processLimits }: Machine): RuntimeCapabilities['unenforced'] {
  const { pids, ...others } = controlGroups.unenforced
  return pids === undefined || processLimits?.limitsProcesses ? others : { ...others, pids }
}

const NO_PRLIMIT = 'Nothing limits the open files of servers: prlimit is not installed (Debian package util-linux).'

export async function probeMachine(
  machine: LookAtMachine,
  isolation: IsolationPlaces,
  signal: AbortSignal,
): Promise<RuntimeHealth> {
  try {
    const found = await machine(signal)
    const { sandbox, processLimits } = found
    const unenforced = unenforcedLimits(found)
    const forwarder = await describeForwarder(sandbox, isolation)
    const capabilities: RuntimeCapabilities = {
      images: false,
      survivesDaemon: false,
      unenforced,
      sandbox: [sandbox.description, ...forwarder.words].join(', '),
    }
    const notes = [
      ...sandbox.notes,
      ...forwarder.notes,
      ...Object.values(unenforced),
      ...(processLimits ? [] : [NO_PRLIMIT]),
    ]
    return { state: 'healthy', version: process.version, capabilities, notes }
  } catch (error) {
    return { state: 'undetected', reason: describeError(error) }
  }
}

/** The program that connects isolated servers, or why there are none. */
async function describeForwarder(
  { takesForwarder }: Sandbox,
  { lack, socat }: IsolationPlaces,
): Promise<{ words: string[]; notes: string[] }> {
  const reason = takesForwarder ? await lack() : 'it needs bubblewrap with a system call filter'
  if (reason === undefined) return { words: ['native forwarder'], notes: [] }
  if (takesForwarder && (await socat()) !== undefined)
    return {
      words: ['socat as forwarder'],
      notes: [
        `Isolated servers are connected by socat, a process for each connection. For our own program: ${reason}.`,
        'Behind socat, programs that ignore the proxy variables (HTTPS_PROXY and others) reach nothing.',
      ],
    }
  return {
    words: [],
    notes: [`Servers are refused unless they get the network of this machine (--network host): ${reason}.`],
  }
}
