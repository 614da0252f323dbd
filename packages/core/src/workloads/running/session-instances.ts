import { describeError } from '../../errors.ts'
import type { EndServer, SessionServer, SeveralServers, StdioServer } from '../../ports/gateway.ts'
import type { Host } from '../../ports/host.ts'
import type { Logger } from '../../ports/logger.ts'
import { type InstanceHandle, type InstanceSpec, LABELS, type Mount, type Runtime } from '../../ports/runtime.ts'
import { createLimiter } from './limiter.ts'
import type { WorkloadBook } from './book.ts'
import { refuseWithoutState } from './refuse-without-state.ts'

interface Deps {
  book: WorkloadBook
  runtime: Runtime
  host: Pick<Host, 'stateLoss'>
  logger: Logger
  instanceId: string
  stopGraceMs: number
}

/** In addition to the time that a server has to end on its own. */
const REMOVE_MS = 30_000

interface Live {
  workload: string
  name: string
  /** Undefined if it could not be created. */
  created: Promise<InstanceHandle | undefined>
  ending?: Promise<void>
}

/** The template for every instance of a workload. */
export interface Template {
  spec: InstanceSpec
  /** Checks the mounts again, as every start must. */
  checkMounts: () => Promise<readonly Mount[]>
}

/**
 * Instances that serve one client session each. They live as long as their session, and never longer than this daemon: a later
 * daemon removes instances with a session label as orphans.
 */
export class SessionInstances {
  readonly #deps: Deps
  /** Holds instances from before their creation until they are gone. In between, they are no orphans. */
  readonly #live = new Set<Live>()
  readonly #starts = createLimiter(8)

  constructor(deps: Deps) {
    this.#deps = deps
  }

  owns(instanceName: string): boolean {
    return [...this.#live].some(({ name }) => name === instanceName)
  }

  /** Any one instance of the workload, for inspection. */
  async handleOf(workload: string): Promise<InstanceHandle | undefined> {
    return this.#of(workload)[0]?.created
  }

  /** All instances of the workload. */
  async handlesOf(workload: string): Promise<InstanceHandle[]> {
    const created = await Promise.all(this.#of(workload).map((live) => live.created))
    return created.filter((handle) => handle !== undefined)
  }

  /** `first` runs for the workload until a client takes it over. All others are created like it. */
  servers(
    workload: string,
    template: (signal: AbortSignal) => Promise<Template>,
    first: { handle: InstanceHandle; server: StdioServer },
  ): SeveralServers {
    return {
      first: first.server,
      claimFirst: () => {
        const { handle } = first
        const end = this.#add({ workload, name: handle.name, created: Promise.resolve(handle) })
        // The workload continues without it: the end of one session says nothing about the others.
        this.#deps.book.observe(workload, {}, ['handle'])
        return end
      },
      startAnother: async (signal) => this.#start(workload, await template(signal), signal),
    }
  }

  /** The runtime reported its end. Removes the rest of it and ends its session. */
  async ended({ id, name }: InstanceHandle): Promise<void> {
    const live = [...this.#live].find((each) => each.name === name)
    if (live && (await live.created)?.id === id) void this.#end(live)
  }

  /** Resolves when the workload has no instance left. */
  async endAll(workload: string): Promise<void> {
    await Promise.all(this.#of(workload).map((live) => this.#end(live)))
  }

  /** Resolves when those that are ending have ended. */
  async idle(): Promise<void> {
    await Promise.all([...this.#live].map(async ({ ending }) => ending))
  }

  async #start(workload: string, { spec: base, checkMounts }: Template, signal: AbortSignal): Promise<SessionServer> {
    const { runtime, host } = this.#deps
    const tag = this.#freeTag(workload)
    const name = `${base.name}-${tag}`
    const create = async () => {
      await refuseWithoutState(host)
      const labels = { ...base.labels, [LABELS.session]: tag }
      return runtime.create({ ...base, name, labels, mounts: await checkMounts() }, signal)
    }
    const creating = this.#starts(create, signal)
    const end = this.#add({ workload, name, created: creating.catch(() => undefined) })
    try {
      const handle = await creating
      const channel = await runtime.attach(handle, signal)
      const start = () => runtime.start(handle, signal)
      return { tag, server: { kind: 'stdio', channel, processId: handle.id, start }, end }
    } catch (error) {
      await end()
      throw error
    }
  }

  #add(live: Live): EndServer {
    this.#live.add(live)
    return () => this.#end(live)
  }

  #end(live: Live): Promise<void> {
    return (live.ending ??= this.#remove(live))
  }

  async #remove(live: Live): Promise<void> {
    const { runtime, stopGraceMs, logger } = this.#deps
    // Not the session's signal, which has usually aborted by now.
    const signal = AbortSignal.timeout(stopGraceMs + REMOVE_MS)
    try {
      const handle = (await live.created) ?? (await this.#leftover(live.name, signal))
      if (handle === undefined) return
      await runtime.stop(handle, stopGraceMs, signal)
      await runtime.remove(handle, signal)
    } catch (error) {
      // Its label marks it as an orphan now, so the next orphan check removes it.
      logger.warn('the server of a session could not be removed', { instance: live.name, reason: describeError(error) })
    } finally {
      this.#live.delete(live)
    }
  }

  /** An engine may have created the instance even though its answer never came. */
  async #leftover(name: string, signal: AbortSignal): Promise<InstanceHandle | undefined> {
    const found = await this.#deps.runtime.find(name, signal)
    return found?.labels[LABELS.instance] === this.#deps.instanceId ? found.handle : undefined
  }

  /** Contains neither the session's ID, which is as good as a password, nor a workload's name. */
  #freeTag(workload: string): string {
    const tag = crypto.randomUUID().slice(0, 8)
    const isTaken = this.#deps.book.isNameTaken(`${workload}-${tag}`) || this.owns(`thv-${workload}-${tag}`)
    return isTaken ? this.#freeTag(workload) : tag
  }

  #of(workload: string): Live[] {
    return [...this.#live].filter((live) => live.workload === workload)
  }
}
