import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { isCover } from '@toolhaven/core/ports/hiding'
import type {
  Confinement,
  InstanceHandle,
  InstanceSpec,
  InstanceState,
  Limits,
  StdioChannel,
  Usage,
} from '@toolhaven/core/ports/runtime'
import { processFacts, serverProcess } from '../confinement/process-facts.ts'
import { DEFAULT_MEMORY_BYTES, DEFAULT_PIDS } from '../default-limits.ts'
import type { ControlGroup, ControlGroups } from './control-group.ts'
import { OutputRing } from './output-ring.ts'
import { PipeChannel } from './pipe-channel.ts'
import { divideLimits } from './process-limits.ts'
import type { ProcessLimits } from './process-limits.ts'
import type { Sandbox } from './sandbox.ts'
import type { SandboxPlan } from './sandbox-plan.ts'
import { processUsage } from '../usage/process-usage.ts'
import type { SandboxProcess } from './spawn-bubblewrap.ts'

export interface InstanceParts {
  handle: InstanceHandle
  spec: InstanceSpec
  plan: SandboxPlan
  sandbox: Sandbox
  controlGroups: ControlGroups
  processLimits: ProcessLimits | undefined
  /** Where its port is found when it is not a port of the machine. */
  socketPath?: string
  onStarted: () => void
  onExited: (exitCode: number, oomKilled: boolean) => void
  /** Frees what was made for the plan. */
  onRemoved: () => Promise<void>
}

/** One server of this daemon: its process while it runs, and what is remembered of it afterwards. */
export class Instance {
  readonly parts: InstanceParts
  readonly output = new OutputRing(OUTPUT_BYTES)
  #state: InstanceState = { state: 'created' }
  #channel: PipeChannel | undefined
  #process: SandboxProcess | undefined
  #exited: Promise<void> = Promise.resolve()
  /** Settles with the start under way. Until then there may be a process that nothing else knows about. */
  #starting: Promise<void> = Promise.resolve()
  #giveUp = new AbortController()
  /** The sandbox's first process. */
  #pid: number | undefined

  constructor(parts: InstanceParts) {
    this.parts = parts
  }

  get state(): InstanceState {
    return this.#state
  }

  attach(): StdioChannel {
    this.#channel?.end()
    this.#channel = new PipeChannel()
    if (this.#process !== undefined) this.#channel.connect(this.#process.child)
    return this.#channel
  }

  async start(signal: AbortSignal): Promise<void> {
    if (this.#state.state === 'running') return
    this.#giveUp = new AbortController()
    const started = this.#start(AbortSignal.any([signal, this.#giveUp.signal]))
    this.#starting = started.catch(() => undefined)
    await started
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { spec, sandbox, controlGroups } = this.parts
    signal.throwIfAborted()
    const { plan, groupLimits } = this.#limited()
    const group = await controlGroups.make(groupLimits)
    let started: SandboxProcess
    try {
      const { launcher } = group
      const beforeStart = async (pid: number) => this.#confine(pid, group)
      started = await sandbox.spawn(plan, { stdin: spec.stdio, beforeStart, ...(launcher && { launcher }) }, signal)
    } catch (error) {
      // The error of the start says more than that of a group that is still in use.
      await group.remove().catch(() => undefined)
      throw error
    }
    this.#process = started
    const startedAt = new Date().toISOString()
    this.#state = { state: 'running', startedAt, ...this.#address() }
    this.output.reopen()
    this.#listen(started.child)
    this.#exited = this.#untilExited(started.child, group)
    this.parts.onStarted()
    await started.ready
  }

  #limited(): { plan: SandboxPlan; groupLimits: Limits } {
    const { spec, plan, processLimits } = this.parts
    const { memoryBytes = DEFAULT_MEMORY_BYTES, pids = DEFAULT_PIDS, ...others } = spec.limits
    return divideLimits(plan, { memoryBytes, pids, ...others }, processLimits)
  }

  #address() {
    const { spec, socketPath } = this.parts
    if (spec.targetPort === undefined) return {}
    return { address: { host: '127.0.0.1', port: spec.targetPort, ...(socketPath !== undefined && { socketPath }) } }
  }

  async #confine(pid: number, group: ControlGroup): Promise<void> {
    this.#pid = pid
    await group.add(pid)
  }

  /** As the kernel sees the server now. */
  async confinement(): Promise<Confinement | undefined> {
    if (this.#state.state !== 'running' || this.#pid === undefined) return undefined
    const facts = await processFacts(await serverProcess(this.#pid))
    const theirs = this.parts.spec.mounts.filter(({ hostPath }) => !isCover(hostPath))
    const mounts = theirs.map((mount) => ({
      source: mount.hostPath,
      target: mount.containerPath,
      read_only: mount.readOnly,
    }))
    return facts && { ...facts, privileged: false, mounts }
  }

  async usage(): Promise<Usage | undefined> {
    if (this.#state.state !== 'running' || this.#pid === undefined) return undefined
    return processUsage(this.#pid)
  }

  async stop(graceMs: number, signal: AbortSignal): Promise<void> {
    await this.#endStart()
    const running = this.#process
    if (running === undefined) return
    running.terminate()
    const patience = new AbortController()
    const limit = AbortSignal.any([signal, patience.signal])
    // An aborted caller still wants the process to end, so an abort only cuts the grace period short.
    await Promise.race([this.#exited, delay(graceMs, undefined, { signal: limit }).catch(() => undefined)])
    patience.abort()
    running.kill()
    await this.#exited
  }

  async kill(): Promise<void> {
    await this.#endStart()
    this.#process?.kill()
    await this.#exited
    this.#channel?.end()
    this.output.end()
  }

  async #endStart(): Promise<void> {
    this.#giveUp.abort()
    await this.#starting
  }

  #listen(child: ChildProcess): void {
    child.stdout?.on('data', (chunk: Buffer) => this.output.append('stdout', chunk, Date.now()))
    child.stderr?.on('data', (chunk: Buffer) => this.output.append('stderr', chunk, Date.now()))
    this.#channel?.connect(child)
  }

  /** Waits for the last output too, so that the log of an exited instance is complete. */
  async #untilExited(child: ChildProcess, group: ControlGroup): Promise<void> {
    const exitCode = await new Promise<number>((resolve) => {
      child.once('exit', () => {
        // A paused reader must not delay the end. What it has not read stays in the log.
        child.stdout?.resume()
        child.stderr?.resume()
      })
      child.once('close', (code, signal) => resolve(code ?? (signal === 'SIGTERM' ? 143 : 137)))
    })
    const oomKilled = await group.wasOutOfMemory()
    this.#process = undefined
    this.#state = { state: 'exited', exitCode, finishedAt: new Date().toISOString(), oomKilled }
    this.output.end()
    this.#channel?.end()
    this.#channel = undefined
    this.parts.onExited(exitCode, oomKilled)
    // A group that the kernel does not release is a leftover, not a reason to call the instance running.
    await group.remove().catch(() => undefined)
  }
}

/** Enough for the last words of a crashing server, and little enough for a hundred idle ones. */
const OUTPUT_BYTES = 256 * 1024
