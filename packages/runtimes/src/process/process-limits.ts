import { readFile } from 'node:fs/promises'
import type { Limits } from '@toolhaven/core/ports/runtime'
import { OPEN_FILES } from '../default-limits.ts'
import { findProgram } from '../package-index/find-program.ts'
import { collectOutput } from '../package-index/run-program.ts'
import { isSystemPath } from './layout.ts'
import type { SandboxPlan } from './sandbox-plan.ts'
import type { Sandbox } from './sandbox.ts'

/** Limits that the kernel applies to processes (setrlimit), with or without control groups. */
export interface ProcessLimits {
  /** `prlimit` of util-linux: sets limits and becomes another program. */
  program: string
  /** `env`, which sets variables and becomes another program. */
  setter: string
  /** Whether the number of processes can be limited this way. See `countsOwnProcesses`. */
  limitsProcesses: boolean
  /** The highest limits that this process may set. */
  most: { files: number; processes: number }
}

/** Undefined where nothing can set them. */
export async function findProcessLimits(
  sandbox: Sandbox,
  searchPath: string | undefined,
  signal: AbortSignal,
): Promise<ProcessLimits | undefined> {
  const program = await findProgram('prlimit', searchPath)
  const setter = await findProgram('env', searchPath)
  if (program === undefined || setter === undefined) return undefined
  const own = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const most = { files: hardLimit(own, 'Max open files'), processes: hardLimit(own, 'Max processes') }
  return { program, setter, most, limitsProcesses: await countsOwnProcesses(sandbox, { program, setter }, signal) }
}

/** Lines are "name  soft  hard  unit", where both can be "unlimited". */
function hardLimit(limits: string, name: string): number {
  const [, hard] = new RegExp(`^${name} +\\S+ +(\\d+)`, 'm').exec(limits) ?? []
  return hard === undefined ? Infinity : Number(hard)
}

/** The plan under the limits that work without a control group, and the limits that need one. */
export function divideLimits(
  plan: SandboxPlan,
  { pids, ...others }: Limits & { pids: number },
  processLimits: ProcessLimits | undefined,
): { plan: SandboxPlan; groupLimits: Limits } {
  // Without a control group where that is enough: a killed daemon leaves its groups behind.
  const groupLimits = { ...others, ...(!processLimits?.limitsProcesses && { pids }) }
  return { plan: processLimits ? withProcessLimits(plan, processLimits, pids) : plan, groupLimits }
}

/** Starts a plan's program under the limits, which also apply to everything that it starts. */
export function withProcessLimits(
  plan: SandboxPlan,
  { limitsProcesses, most, ...programs }: ProcessLimits,
  pids: number,
): SandboxPlan {
  const files = [OPEN_FILES.soft, OPEN_FILES.hard].map((value) => Math.min(value, most.files))
  const processes = Math.min(pids, most.processes)
  return limited(plan, programs, [
    `--nofile=${files.join(':')}`,
    ...(limitsProcesses ? [`--nproc=${processes}:${processes}`] : []),
  ])
}

type Programs = Pick<ProcessLimits, 'program' | 'setter'>

/** These variables let a server load its own code into any program, so they are set only after the limits. */
const LOADING = /^(?:LD_|GLIBC_|GCONV_|LOCPATH$|NLSPATH$|LANGUAGE$|LC_|LANG$|MALLOC_)/

function limited(plan: SandboxPlan, { program, setter }: Programs, limits: readonly string[]): SandboxPlan {
  const variables = Object.entries(plan.env)
  const late = variables.filter(([name]) => LOADING.test(name)).map(([name, value]) => `${name}=${value}`)
  const places = [program, setter].filter((path) => !isSystemPath(path))
  return {
    ...plan,
    program,
    args: [...limits, '--', ...(late.length > 0 ? [setter, ...late] : []), plan.program, ...plan.args],
    env: Object.fromEntries(variables.filter(([name]) => !LOADING.test(name))),
    binds: [...plan.binds, ...places.map((path) => ({ hostPath: path, sandboxPath: path, readOnly: true }))],
  }
}

const TRIED_LIMIT = 8
/** `kill 0` ends its own process group, which is the sandbox's. */
const TRIAL = `
trap 'kill 0' EXIT
/bin/sh -c : && echo one
n=0; while [ $n -lt ${TRIED_LIMIT * 2} ]; do sleep 5 & n=$((n+1)); done
echo all`

/**
 * The kernel counts the processes of a user, since 5.14 separately in each user namespace. Before that, the user's
 * other programs would count too. It never limits root, the user of the sandboxes of a daemon that runs as root. So
 * this tries it.
 */
async function countsOwnProcesses(sandbox: Sandbox, programs: Programs, signal: AbortSignal): Promise<boolean> {
  if (sandbox.kind === 'none') return false
  const env = { PATH: '/usr/bin:/bin' }
  const shell: SandboxPlan = { program: '/bin/sh', args: ['-c', TRIAL], env, workDir: '/', binds: [], network: 'none' }
  const plan = limited(shell, programs, [`--nproc=${TRIED_LIMIT}:${TRIED_LIMIT}`])
  const { child, kill } = await sandbox.spawn(plan, { stdin: false }, signal)
  const { stdout } = await collectOutput(child, kill, signal)
  return stdout === 'one\n'
}
