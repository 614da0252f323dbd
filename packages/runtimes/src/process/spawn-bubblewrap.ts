import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { closeSync, openSync, readFileSync, readlinkSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { describeError, unavailable } from '@toolhaven/core/errors'
import { z } from 'zod'
import { refuseNul } from '../refuse-nul.ts'
import { bubblewrapOptions, encodeOptions } from './bubblewrap.ts'
import type { BubblewrapBase } from './bubblewrap.ts'
import type { Launcher } from './control-group.ts'
import { inheritedDescriptors } from './inherited-descriptors.ts'
import { LAST_DESCRIPTOR } from './sandbox-plan.ts'
import type { SandboxPlan } from './sandbox-plan.ts'
import { verifyBinds } from './verify-binds.ts'

export interface SandboxProcess {
  /** Listen to its output at once: what it wrote before is lost when it ends. */
  child: ChildProcess
  /** From then on it ends with this process, and can be asked to end. */
  ready: Promise<void>
  /** Asks the server itself to end, not the sandbox around it. */
  terminate(): void
  /** Ends it with all its descendants. */
  kill(): void
}

export interface SpawnOptions {
  stdin: boolean
  /** Called with the sandbox's first process before the server runs: the moment to apply limits. */
  beforeStart?: (pid: number) => Promise<void>
  /** Starts the sandbox in a control group. Only bubblewrap supports it. */
  launcher?: Launcher
}

export interface Bubblewrap extends BubblewrapBase {
  program: string
  seccomp: Uint8Array | undefined
}

/**
 * Starts a plan in bubblewrap. Resolves once the sandbox is ready and the server may run. A sandbox that does not
 * report its first process in time is killed with everything in it. It gets a little time for that after an abort as
 * well: killed earlier, it could leave processes behind that do not yet end with it.
 */
export async function spawnBubblewrap(
  bwrap: Bubblewrap,
  plan: SandboxPlan,
  options: SpawnOptions,
  signal: AbortSignal,
): Promise<SandboxProcess> {
  signal.throwIfAborted()
  const descriptors = { info: INFO, block: BLOCK, ...(bwrap.seccomp === undefined ? {} : { seccomp: SECCOMP }) }
  const command = commandLine(bwrap.program, plan, options.launcher)
  const encoded = encodeOptions(bubblewrapOptions(plan, bwrap, descriptors))
  const child = spawnClean(command, options)
  const setup = setupFailure(child)
  // Options go through a pipe: they contain the server's environment and its secrets, which a command line would show
  // to everyone.
  feed(child, ARGS, encoded)
  if (bwrap.seccomp !== undefined) feed(child, SECCOMP, bwrap.seccomp)
  const settled = new AbortController()
  let killAll = () => killTree(child)
  try {
    const init = await Promise.race([readInit(child), setup.failed, untilLate(signal, settled.signal)])
    killAll = () => killSandbox(child, init)
    signal.throwIfAborted()
    await Promise.race([setup.failed, prepare(init, plan, options)]).catch((error: unknown) =>
      orItsEnd(setup.failed, error),
    )
    setup.forget() // from here on an exit is the server's
    feed(child, BLOCK, 'go')
    const ready = untilServerRuns(child, init)
    return { child, ready, kill: killAll, terminate: () => terminateServer(init, killAll) }
  } catch (error) {
    killAll()
    throw error
  } finally {
    settled.abort()
  }
}

/**
 * The forwarder comes before the sandbox, so that the sandbox is created inside the network that the forwarder holds.
 */
function commandLine(
  bwrap: string,
  { program, args, network }: SandboxPlan,
  launcher: Launcher | undefined,
): readonly string[] {
  const sandbox = [bwrap, '--args', String(ARGS), '--', program, ...args]
  refuseNul(sandbox)
  return [...(launcher?.words ?? []), ...(typeof network === 'object' ? network.forwarder : []), ...sandbox]
}

function setupFailure(child: ChildProcess): { failed: Promise<never>; forget: () => void } {
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const onError = (error: Error) => reject(unavailable(`bubblewrap could not be started: ${error.message}.`, error))
  const onExit = (code: number | null) => {
    const said = child.stderr?.read()
    const text = said instanceof Buffer ? said.toString('utf8').trim() : `bubblewrap exited with ${code}`
    reject(unavailable(`The sandbox could not be set up (${text}).`))
  }
  child.once('error', onError)
  child.once('exit', onExit)
  return { failed, forget: () => void child.off('exit', onExit) }
}

async function prepare(init: number, { binds, network }: SandboxPlan, { beforeStart }: SpawnOptions): Promise<void> {
  await beforeStart?.(init)
  refuseShared(init, network === 'full' ? NAMESPACES : [...NAMESPACES, 'net'])
  await verifyBinds(init, binds)
  // Throws if the sandbox has ended in the meantime, which must not be taken for one that may run.
  process.kill(init, 0)
}

const NAMESPACES = ['user', 'mnt', 'pid', 'ipc', 'uts']

/** Another program by the name of bubblewrap may report a process that it does not confine. */
function refuseShared(init: number, namespaces: readonly string[]): void {
  const of = (pid: number | 'self', name: string) => readlinkSync(`/proc/${pid}/ns/${name}`)
  try {
    const shared = namespaces.filter((name) => of(init, name) === of('self', name))
    if (shared.length === 0) return
    throw unavailable(
      `The program bwrap makes no sandbox: the server would share its ${shared.join(', ')} namespace with this machine. Put bubblewrap first in PATH.`,
    )
  } catch (error) {
    // A process that has just ended has none, and one of a set-user-ID bubblewrap does not show them to other users.
    if (!/ENOENT|ESRCH|EACCES|EPERM/.test(describeError(error))) throw error
  }
}

/** A process that is gone takes no limits. Why it ended is known a moment later, and says more. */
async function orItsEnd(failed: Promise<never>, error: unknown): Promise<never> {
  const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH'
  if (isGone) await Promise.race([failed, delay(ABORTED_SETUP_MS)])
  throw error
}

const ARGS = 3
const INFO = 4
const BLOCK = 5
const SECCOMP = LAST_DESCRIPTOR

/**
 * Bubblewrap passes every descriptor that it inherits to the server, so /dev/null covers those that we inherited
 * ourselves.
 */
function spawnClean([program = '', ...args]: readonly string[], { stdin, launcher }: SpawnOptions): ChildProcess {
  const nothing = openSync('/dev/null', 'r+')
  try {
    const stdio: ('pipe' | 'ignore' | number)[] = [
      stdin ? 'pipe' : 'ignore',
      'pipe',
      'pipe',
      'pipe',
      'pipe',
      'pipe',
      'pipe',
    ]
    for (const descriptor of inheritedDescriptors()) {
      while (stdio.length <= descriptor) stdio.push('ignore')
      if (descriptor > SECCOMP) stdio[descriptor] = nothing
    }
    return spawn(program, args, { env: { ...launcher?.env }, cwd: '/', stdio, shell: false })
  } finally {
    closeSync(nothing)
  }
}

function feed(child: ChildProcess, descriptor: number, data: string | Uint8Array): void {
  const stream = child.stdio[descriptor]
  if (!(stream instanceof Writable)) return
  // The exit of a sandbox that has already died says more than the broken pipe.
  stream.on('error', () => undefined)
  stream.end(data)
}

const infoSchema = z.object({ 'child-pid': z.int().positive() })

async function readInit(child: ChildProcess): Promise<number> {
  const stream = child.stdio[INFO]
  if (!(stream instanceof Readable)) throw unavailable('bubblewrap could not be started.')
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  // It ended without a report: the exit handler knows why.
  if (text === '') return await new Promise<never>(() => undefined)
  return infoSchema.parse(JSON.parse(text))['child-pid']
}

/** Rejects when the sandbox had enough time to report, or soon after the abort. */
async function untilLate(signal: AbortSignal, settled: AbortSignal): Promise<never> {
  const early = AbortSignal.any([signal, settled])
  await delay(SETUP_DEADLINE_MS, undefined, { signal: early }).catch(() => undefined)
  if (signal.aborted) await delay(ABORTED_SETUP_MS, undefined, { signal: settled })
  early.throwIfAborted()
  throw unavailable(`The sandbox did not report within ${SETUP_DEADLINE_MS / 1000} s that it is set up. Try again.`)
}

/** For a sandbox that never reported its first process. */
function killTree(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  for (const pid of descendantsOf(child.pid)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended with one of those before it.
    }
  }
  child.kill('SIGKILL')
}

function descendantsOf(pid: number): number[] {
  try {
    return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)])
  } catch {
    // It ended while it was inspected, and so did its children.
    return []
  }
}

/**
 * The end of a pid namespace's first process is the end of everything in it. Bubblewrap's outer process is left to
 * notice and report that: if it were killed early on instead, it would leave a sandbox behind that does not end with it
 * yet.
 */
function killSandbox(child: ChildProcess, init: number): void {
  // While the outer process is alive, the number belongs to its child.
  if (child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(init, 'SIGKILL')
  } catch {
    // Gone already: the outer process is about to report it.
  }
}

/** The sandbox's first process only reaps. The server is the one it started, number 2 inside. */
function terminateServer(init: number, kill: () => void): void {
  try {
    const server = findServer(init)
    if (server === undefined) kill()
    else process.kill(server, 'SIGTERM')
  } catch (error) {
    // If it ended between the check and the signal, that is what was wanted.
    if (!/ENOENT|ESRCH/.test(describeError(error))) kill()
  }
}

function findServer(init: number): number | undefined {
  return childrenOf(init).find((pid) => /^NSpid:.*\t2$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')))
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
}

const SETUP_DEADLINE_MS = 10_000
const ABORTED_SETUP_MS = 1_000

/** While it is being set up, the sandbox does not yet end with us, and there is nobody to ask to end. */
async function untilServerRuns(child: ChildProcess, init: number): Promise<void> {
  const deadline = AbortSignal.timeout(SETUP_DEADLINE_MS)
  while (child.exitCode === null && child.signalCode === null && !deadline.aborted) {
    try {
      if (findServer(init) !== undefined) return
    } catch {
      // The server, or the whole sandbox, ended while it was inspected.
      return
    }
    await delay(2)
  }
}
