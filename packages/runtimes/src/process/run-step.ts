import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describeError } from '@toolhaven/core/errors'
import { type InstallAccess, type InstallStep, type InstanceSpec, LABELS } from '@toolhaven/core/ports/runtime'
import { INSTALL_LIMITS, INSTALL_MINUTES } from '../install-rules.ts'
import { removeSocketFolder } from '../isolation/socket-folder.ts'
import { proxyVariables } from '../isolation/ways.ts'
import { ownProxies } from '../package-index/network-variables.ts'
import { collectOutput, type ProgramResult } from '../package-index/run-program.ts'
import type { Layout } from './layout.ts'
import type { PackageTools } from './package-tools.ts'
import { divideLimits } from './process-limits.ts'
import { processNetwork } from './process-network.ts'
import { SANDBOX_HOME, SANDBOX_PATH, type SandboxPlan } from './sandbox-plan.ts'

/** A folder below a scratch folder for the second step: what the first step left beside it is not visible there. */
export async function makeFresh(scratch: string): Promise<string> {
  const folder = join(scratch, 'install')
  await mkdir(folder, { mode: 0o700 })
  return folder
}

export interface StepRun {
  step: InstallStep
  tools: PackageTools
  /** The package, for people. */
  what: string
  access: InstallAccess | undefined
  /** Package indexes that may be reached, and proxies in a tool's own settings, as `host:port`. */
  places: readonly string[]
  layout: Layout
  /** As seen inside. */
  program: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  /** Folder of the machine for temporary files. For an install, nothing with a token was ever in it. */
  scratch: string
}

export interface StepResult extends ProgramResult {
  /** Hosts that were requested and refused. */
  refused: readonly string[]
}

/**
 * Runs a step with limits and behind a gate, with the paths of its layout, its own variables, and nothing else of the
 * daemon or the user.
 */
export async function runStep(run: StepRun, signal: AbortSignal): Promise<StepResult> {
  const { tools, layout, program, args, env, scratch } = run
  const { sandbox, logger } = tools
  await using stack = new AsyncDisposableStack()
  const { network, variables, refused } = await openNetwork(run, stack, signal)
  const tmp = layout.place(scratch, '/tmp', 'writable')
  const home = sandbox.isolatesFiles ? SANDBOX_HOME : scratch
  const searchPath = sandbox.isolatesFiles ? SANDBOX_PATH : (env['PATH'] ?? SANDBOX_PATH)
  const unlimited: SandboxPlan = {
    program,
    args,
    env: { LANG: 'C.UTF-8', ...env, ...variables, HOME: home, TMPDIR: tmp, PATH: searchPath },
    workDir: tmp,
    binds: layout.binds,
    network,
  }
  const { plan, groupLimits } = divideLimits(unlimited, INSTALL_LIMITS, tools.processLimits)
  const group = await tools.controlGroups.make(groupLimits)
  // A group that remains is empty, and the next daemon removes it. The step's result counts all the same.
  stack.defer(() =>
    group.remove().catch((error: unknown) => {
      logger.warn('could not remove the control group of an install', {
        package: run.what,
        reason: describeError(error),
      })
    }),
  )
  const { launcher } = group
  const beforeStart = (pid: number) => group.add(pid)
  const { child, kill } = await sandbox.spawn(
    plan,
    { stdin: false, beforeStart, ...(launcher && { launcher }) },
    signal,
  )
  const timer = setTimeout(kill, INSTALL_MINUTES * 60_000)
  try {
    return { ...(await collectOutput(child, kill, signal)), refused: refused() }
  } finally {
    clearTimeout(timer)
  }
}

interface OpenedNetwork {
  network: SandboxPlan['network']
  variables: Record<string, string>
  refused: () => readonly string[]
}

const NOTHING: OpenedNetwork = { network: 'none', variables: {}, refused: () => [] }
const ORDINARY: OpenedNetwork = { ...NOTHING, network: 'full' }

/** Closed with the stack. */
async function openNetwork(
  { step, tools, access, what, places, env }: StepRun,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<OpenedNetwork> {
  const { sandbox, isolation, logger } = tools
  // The daemon was started with --allow-unsandboxed.
  if (!sandbox.isolatesNetwork) return ORDINARY
  if (access === undefined) return step === 'fetch' ? ORDINARY : NOTHING
  const withoutGate = (reason: string) => {
    if (step === 'fetch') access.unguarded(reason)
    else logger.warn('install scripts have no network', { package: what, reason })
    return step === 'fetch' ? ORDINARY : NOTHING
  }
  if (!sandbox.takesForwarder) return withoutGate(`${sandbox.description} takes no forwarder`)
  const own = step === 'fetch' ? ownProxies(env) : undefined
  const { way, refused } = stack.use(await access.open(step, [...places, ...(own?.places ?? [])]))
  const opened = await processNetwork(isolation, stepSpec(step, what, access.owner, way), sandbox, signal).catch(
    (error: unknown) => {
      signal.throwIfAborted()
      return describeError(error)
    },
  )
  if (opened === undefined || typeof opened === 'string') return withoutGate(opened ?? 'it has no way out')
  stack.defer(() => removeSocketFolder(opened.place))
  if (own !== undefined && !opened.forwarded.hasNames)
    return withoutGate('socat leads to no proxy of your own network; install gcc and libc6-dev for the forwarder')
  // The gate reports each host that it refuses, so a fetch asks it for everything. A script may have a server of its
  // own on its loopback.
  const asksGate = step === 'fetch' || places.some((place) => /^(?:localhost|127\.|\[::1\])/.test(place))
  const variables = own?.variables ?? { ...proxyVariables(way), ...(asksGate && { NO_PROXY: '', no_proxy: '' }) }
  return { network: opened.forwarded, variables, refused }
}

function stepSpec(step: InstallStep, what: string, owner: string, network: InstanceSpec['network']): InstanceSpec {
  const source = { kind: 'image', reference: '' } as const
  const nothing = { prepared: { id: '' }, source, args: [], env: {}, mounts: [], stdio: false, limits: {} }
  return { ...nothing, name: `${step} ${what}`, labels: { [LABELS.instance]: owner }, network }
}
