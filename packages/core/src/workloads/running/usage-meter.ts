import { describeError } from '../../errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { InstanceHandle, Runtime, Usage } from '../../ports/runtime.ts'

/** A CPU share over less time says little, and the last one is still valid. */
const SHORTEST_MS = 500
/** A CPU share over more time says nothing about the present. */
const LONGEST_MS = 60_000
/** A busy engine must not delay the values of all other instances. */
const PATIENCE_MS = 5_000

interface Look {
  at: number
  cpuMs: number
  /** In percent of one core, since the previous measurement. */
  cpuShare?: number
}

export interface Measured extends Omit<Usage, 'cpuMs'> {
  cpuShare?: number
}

/** Measures instances on request. A CPU share needs two measurements; the last one is kept for the next request. */
export class UsageMeter {
  readonly #runtime: Pick<Runtime, 'usage' | 'name'>
  readonly #clock: Clock
  readonly #looks = new Map<string, Look>()

  constructor({ runtime, clock }: { runtime: Pick<Runtime, 'usage' | 'name'>; clock: Clock }) {
    this.#runtime = runtime
    this.#clock = clock
  }

  /** Measures all instances. Rejects only if the signal is aborted. */
  async measure(handles: readonly InstanceHandle[], signal: AbortSignal): Promise<Measured> {
    if (this.#runtime.usage === undefined)
      return { notMeasured: `the runtime ${this.#runtime.name} does not measure servers` }
    this.#forgetOld()
    const limit = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
    const found = await Promise.all(handles.map((handle) => this.#measureOne(handle, limit, signal)))
    const running = found.filter((each) => each !== undefined)
    if (running.length === 0) return { notMeasured: 'it is not running' }
    return running.reduce(together)
  }

  async #measureOne(handle: InstanceHandle, limit: AbortSignal, signal: AbortSignal): Promise<Measured | undefined> {
    try {
      return await this.#look(handle, limit)
    } catch (error) {
      signal.throwIfAborted()
      return { notMeasured: limit.aborted ? 'the runtime took too long to measure it' : describeError(error) }
    }
  }

  async #look(handle: InstanceHandle, signal: AbortSignal): Promise<Measured | undefined> {
    const usage = await this.#runtime.usage?.(handle, signal)
    if (usage === undefined) return undefined
    const { cpuMs, ...rest } = usage
    if (cpuMs === undefined) return rest
    const at = this.#clock.now()
    const before = this.#looks.get(handle.id)
    if (before === undefined) this.#looks.set(handle.id, { at, cpuMs })
    const elapsed = at - (before?.at ?? at)
    if (before && elapsed >= SHORTEST_MS) {
      const cpuShare = Math.max(0, cpuMs - before.cpuMs) / elapsed
      this.#looks.set(handle.id, { at, cpuMs, cpuShare })
      return { ...rest, cpuShare }
    }
    if (before?.cpuShare !== undefined) return { ...rest, cpuShare: before.cpuShare }
    await this.#clock.sleep(SHORTEST_MS - elapsed, signal)
    return this.#look(handle, signal)
  }

  /** A clock that was set back must not make a measurement older. */
  #forgetOld(): void {
    const now = this.#clock.now()
    for (const [id, { at }] of this.#looks) if (Math.abs(now - at) > LONGEST_MS || at > now) this.#looks.delete(id)
  }
}

function together(one: Measured, other: Measured): Measured {
  const sum = (key: 'cpuShare' | 'memoryBytes' | 'pids') =>
    one[key] === undefined || other[key] === undefined ? {} : { [key]: one[key] + other[key] }
  const notMeasured = one.notMeasured ?? other.notMeasured
  return {
    ...sum('cpuShare'),
    ...sum('memoryBytes'),
    ...sum('pids'),
    ...(notMeasured !== undefined && { notMeasured }),
  }
}
