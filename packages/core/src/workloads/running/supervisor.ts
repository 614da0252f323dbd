import { describeError } from '../../errors.ts'
import type { RuntimeEvent } from '../../ports/runtime.ts'
import type { StoredWorkload } from '../../ports/stores.ts'
import { perform } from './actions.ts'
import type { Entry } from './book.ts'
import { Recorded, recordExit, recordFailure, recordRestart } from './failures.ts'
import { type Action, nextAction } from './reconcile.ts'
import type { Exposure } from './observed.ts'
import { noteInLog } from './last-words.ts'
import { NeedsLogin } from './needs-login.ts'
import type { SupervisorDeps } from './supervisor-deps.ts'
import { createLimiter } from './limiter.ts'

interface Task {
  /** Something changed while the task ran, so it must decide again. */
  dirty: boolean
  action?: Action['do']
  /** The goal of the running action. When the goal changes, the action is abandoned. */
  basis?: string
  abort?: AbortController
  timer?: AbortController
  done: Promise<void>
}

/** An action that runs this long after its abort is abandoned. */
const PATIENCE_MS = 10_000

/** The reason for an abandoned action, which is not a failure of the workload. */
class Superseded extends Error {}

/**
 * Brings each workload to its wanted state. It queues *names*, not events: each time, it decides from the present state of the
 * name. Actions of one name never overlap; different names run in parallel.
 */
export class Supervisor {
  readonly #deps: SupervisorDeps
  readonly #tasks = new Map<string, Task>()
  readonly #shutdown: AbortSignal
  readonly #starts = createLimiter(8)

  constructor(deps: SupervisorDeps) {
    this.#deps = deps
    this.#shutdown = deps.shutdown
  }

  /** Reports that something about the workload changed. */
  poke(name: string): void {
    if (this.#shutdown.aborted) return
    const task = this.#tasks.get(name)
    if (!task) {
      const fresh: Task = { dirty: false, done: Promise.resolve() }
      this.#tasks.set(name, fresh)
      fresh.done = this.#work(name, fresh)
      return
    }
    task.dirty = true
    task.timer?.abort()
    const entry = this.#deps.book.find(name)
    if (entry && task.basis !== undefined && task.basis !== basisOf(entry)) task.abort?.abort(new Superseded())
  }

  pokeAll(): void {
    for (const { stored } of this.#deps.book.all()) this.poke(stored.config.name)
  }

  /** Resolves when no action is running. Used at shutdown and in tests. */
  async idle(): Promise<void> {
    while (this.#tasks.size > 0) {
      const tasks = [...this.#tasks.values()]
      if (tasks.every((task) => task.timer !== undefined) && !this.#shutdown.aborted) return
      await Promise.race(
        tasks.filter((task) => this.#shutdown.aborted || task.timer === undefined).map((task) => task.done),
      )
    }
  }

  /** The gateway lost its backend, so check what happened to the instance. */
  backendLost(name: string, reason: string): void {
    const entry = this.#deps.book.find(name)
    if (!entry || this.#isEnding(name)) return
    const { stored, observed } = entry
    if (observed.connected && stored.config.remote_url) {
      this.#deps.book.observe(name, { connected: false })
      recordFailure(this.#deps, name, new Error(`the remote server closed the connection: ${reason}`))
    } else if (observed.connected) {
      this.#deps.book.observe(name, { connected: false, instance: 'unknown' })
    }
    this.poke(name)
  }

  /** The remote server accepts no calls before a person has logged in. */
  loginNeeded(name: string, needed: NeedsLogin): void {
    if (!this.#deps.book.find(name) || this.#isEnding(name)) return
    this.#deps.book.observe(name, { connected: false })
    recordFailure(this.#deps, name, needed)
    this.poke(name)
  }

  loggedIn(name: string): void {
    if (!this.#deps.book.find(name)) return
    this.#deps.book.observe(name, { attempts: 0 }, ['failure'])
    this.poke(name)
  }

  /** The server may see or change files that it must not. It is ended at once, even while it starts. */
  exposed(name: string, exposure: Exposure): void {
    if (!this.#deps.book.find(name) || this.#isEnding(name)) return
    this.#deps.book.observe(name, { exposed: exposure })
    // Abandons a start. There is a pause before the next one, so that repeated changes of this kind do not restart it in a loop.
    if (this.#isStarting(name)) recordRestart(this.#deps, name, exposure)
    this.#tasks.get(name)?.abort?.abort(new Recorded())
    this.poke(name)
  }

  /** The user saved a file: replaces the running or failed server by a new one. */
  async folderChanged(name: string, path: string): Promise<void> {
    const isWatched = (stored: StoredWorkload) => stored.wanted === 'running' && stored.config.folder?.watch === true
    const entry = this.#deps.book.find(name)
    if (!entry || !isWatched(entry.stored)) return
    noteInLog(this.#deps, name, `${path} changed; the server restarts`)
    const restarted = (stored: StoredWorkload) =>
      isWatched(stored) ? { ...stored, generation: stored.generation + 1 } : stored
    try {
      await this.#deps.book.change(name, restarted, { forgetsFailure: true })
    } catch (error) {
      this.#deps.logger.warn('a change in a folder was ignored', { workload: name, reason: describeError(error) })
    }
    this.poke(name)
  }

  async runtimeEvent(event: RuntimeEvent): Promise<void> {
    const entry = this.#deps.book.all().find(({ observed }) => observed.handle?.id === event.handle.id)
    if (event.kind === 'started') return
    if (!entry) return this.#deps.sessions.ended(event.handle)
    const name = entry.stored.config.name
    if (this.#isEnding(name) || entry.observed.instance === 'exited') return
    // A start replaces what an interrupted one left under its name. If its own instance disappears, the start fails on its own.
    if (event.kind === 'removed' && entry.observed.instance === 'created' && this.#isStarting(name)) return
    // Its pipe closes after its last output, which belongs to the reason. The start then fails with the full reason.
    if (event.kind === 'exited' && entry.stored.config.transport === 'stdio' && this.#isStarting(name)) return
    this.#deps.book.observe(name, { instance: event.kind === 'removed' ? 'absent' : 'exited', connected: false })
    this.#deps.gateway.disconnect(name, 'the server ended')
    if (event.kind === 'exited') await recordExit(this.#deps, name, event)
    else recordFailure(this.#deps, name, new Error('the container was removed from outside'))
    this.#tasks.get(name)?.abort?.abort(new Recorded())
    this.poke(name)
  }

  #isStarting(name: string): boolean {
    return this.#tasks.get(name)?.action === 'start'
  }

  #isEnding(name: string): boolean {
    const action = this.#tasks.get(name)?.action
    return action === 'stop' || action === 'remove' || action === 'replace'
  }

  async #work(name: string, task: Task): Promise<void> {
    try {
      while (!this.#shutdown.aborted) {
        task.dirty = false
        const entry = this.#deps.book.find(name)
        if (!entry) return
        const action = nextAction(desireOf(entry), entry.observed, this.#deps.clock.now())
        if (action.do === 'nothing') {
          if (!task.dirty) return
        } else if (action.do === 'wait') {
          await this.#pause(task, action.until)
        } else {
          await this.#perform(name, entry, task, action)
        }
      }
    } finally {
      this.#tasks.delete(name)
      if (task.dirty) this.poke(name)
    }
  }

  async #perform(name: string, entry: Entry, task: Task, action: Action): Promise<void> {
    const abort = new AbortController()
    task.abort = abort
    task.action = action.do
    task.basis = basisOf(entry)
    if (action.do === 'start' || action.do === 'adopt') this.#deps.book.observe(name, { isComing: true })
    const signal = AbortSignal.any([abort.signal, this.#shutdown])
    try {
      const run = () => this.#orLeave(name, action, perform(this.#deps, entry, action, signal), signal)
      await (action.do === 'start' ? this.#starts(run, signal) : run())
    } catch (error) {
      const isToldAlready = abort.signal.aborted || error instanceof Recorded
      if (!this.#shutdown.aborted && !isToldAlready) await this.#fail(name, error)
    } finally {
      delete task.abort
      delete task.action
      delete task.basis
      this.#deps.book.observe(name, {}, ['progress', 'isComing'])
    }
  }

  /** Resolves with the action. An action that ignores its abort must block neither its workload nor the daemon. */
  async #orLeave(name: string, action: Action, acting: Promise<void>, signal: AbortSignal): Promise<void> {
    const settled = new AbortController()
    const isStuck = async () => {
      await aborted(AbortSignal.any([signal, settled.signal]))
      await this.#deps.clock.sleep(PATIENCE_MS, settled.signal)
      return 'stuck' as const
    }
    try {
      if ((await Promise.race([acting, isStuck()])) !== 'stuck') return
    } finally {
      settled.abort()
    }
    this.#deps.logger.error('an action did not end after it was aborted', { workload: name, action: action.do })
    // What it does until it finally ends is unknown, so check again then.
    const lookAgain = () => {
      if (this.#deps.book.find(name)) this.#deps.book.observe(name, { instance: 'unknown' })
      this.poke(name)
    }
    void acting.then(lookAgain, lookAgain)
  }

  async #fail(name: string, error: unknown): Promise<void> {
    // The gateway knows this and tells callers.
    if (error instanceof NeedsLogin) return this.loginNeeded(name, error)
    this.#deps.gateway.disconnect(name, 'the server could not be started')
    this.#deps.book.observe(name, { connected: false })
    // A remote server needs no runtime: its failure is its own.
    if (this.#deps.book.find(name)?.stored.config.remote_url !== undefined)
      return recordFailure(this.#deps, name, error)
    const limit = AbortSignal.any([this.#shutdown, AbortSignal.timeout(5_000)])
    // If even the check of the runtime fails, the error of the workload must not be lost.
    const health = await this.#deps.runtime.probe(limit).catch(() => undefined)
    recordFailure(this.#deps, name, error, !health || health.state === 'healthy' ? undefined : health.reason)
  }

  async #pause(task: Task, until: number): Promise<void> {
    const timer = new AbortController()
    task.timer = timer
    const signal = AbortSignal.any([timer.signal, this.#shutdown])
    // A poke wakes it early; either way it decides again.
    await this.#deps.clock.sleep(Math.max(0, until - this.#deps.clock.now()), signal).catch(() => undefined)
    delete task.timer
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

function desireOf({ stored }: Entry) {
  return { wanted: stored.wanted, generation: stored.generation, isRemote: stored.config.remote_url !== undefined }
}

function basisOf({ stored }: Entry): string {
  return `${stored.wanted}:${stored.generation}`
}
