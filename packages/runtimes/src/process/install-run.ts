import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type InstallAccess, type InstanceSpec, LABELS } from '@toolhaven/core/ports/runtime'
import { INSTALL_LIMITS, INSTALL_MINUTES } from '../install-rules.ts'
import { removeSocketFolder } from '../isolation/socket-folder.ts'
import { proxyVariables } from '../isolation/ways.ts'
import { collectOutput, type ProgramResult } from '../package-index/run-program.ts'
import type { Layout } from './layout.ts'
import type { PackageTools } from './prepare-package.ts'
import { divideLimits } from './process-limits.ts'
import { processNetwork } from './process-network.ts'
import { SANDBOX_HOME, SANDBOX_PATH, type SandboxPlan } from './sandbox-plan.ts'

/** A folder below a scratch folder for the second step: what the first one left beside it stays out of sight. */
export async function makeFresh(scratch: string): Promise<string> {
  const folder = join(scratch, 'install')
  await mkdir(folder, { mode: 0o700 })
  return folder
}

export interface InstallRun {
  tools: PackageTools
  /** The package, for people. */
  what: string
  access: InstallAccess | undefined
  /** Package indexes that may be reached, as `host:port`. */
  indexes: readonly string[]
  layout: Layout
  /** As seen inside. */
  program: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  /** Folder of the machine for temporary files. Nothing that holds a token was ever in it. */
  scratch: string
}

export interface InstallResult extends ProgramResult {
  /** Hosts that were asked for and refused. */
  refused: readonly string[]
}

/** Runs what packages bring: install scripts and source builds. They get no token, limits, and a gate to the package indexes. */
export async function runInstall(run: InstallRun, signal: AbortSignal): Promise<InstallResult> {
  const { tools, layout, program, args, env, scratch } = run
  const { sandbox } = tools
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
  stack.defer(() => group.remove())
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

/** Closed with the stack. */
async function openNetwork(
  { tools, access, what, indexes }: InstallRun,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<OpenedNetwork> {
  const { sandbox, isolation, logger } = tools
  // Somebody started the daemon with --allow-unsandboxed.
  if (!sandbox.isolatesNetwork) return { network: 'full', variables: {}, refused: () => [] }
  const nothing: OpenedNetwork = { network: 'none', variables: {}, refused: () => [] }
  if (access === undefined || !sandbox.takesForwarder) return nothing
  const { way, refused } = stack.use(await access.open(indexes))
  const spec = installSpec(what, access.owner, way)
  const opened = await processNetwork(isolation, spec, sandbox, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    logger.warn('install scripts have no network', { package: what, reason: String(error) })
  })
  if (opened === undefined) return nothing
  stack.defer(() => removeSocketFolder(opened.place))
  return { network: opened.forwarded, variables: installVariables(way, indexes), refused }
}

/** An index on this machine is reached through the proxy as well, which nothing else here is. */
function installVariables(
  way: Parameters<typeof proxyVariables>[0],
  indexes: readonly string[],
): Record<string, string> {
  const isLocal = indexes.some((place) => /^(?:localhost|127\.|\[::1\])/.test(place))
  return { ...proxyVariables(way), ...(isLocal && { NO_PROXY: '', no_proxy: '' }) }
}

function installSpec(what: string, owner: string, network: InstanceSpec['network']): InstanceSpec {
  const source = { kind: 'image', reference: '' } as const
  const nothing = { prepared: { id: '' }, source, args: [], env: {}, mounts: [], stdio: false, limits: {} }
  return { ...nothing, name: `install ${what}`, labels: { [LABELS.instance]: owner }, network }
}
