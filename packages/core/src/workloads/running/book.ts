import { conflict, notFound } from '../../errors.ts'
import type { RecordStore, StoredWorkload } from '../../ports/stores.ts'
import type { WorkloadEvent } from '@toolhaven/contract/events'
import { nothingObserved, type Observed } from './observed.ts'
import { deriveStatus, type StatusReport } from './status.ts'

export interface Entry {
  stored: StoredWorkload
  observed: Observed
  /** The record as last shown, and the state it was built from. */
  shown?: { stored: StoredWorkload; status: string; context: string; json: string }
}

/**
 * All workloads in memory. A change of stored data is written to disk before it takes effect. Changes of one workload are
 * serialised. Names are unique without regard to case.
 */
export class WorkloadBook {
  readonly #entries = new Map<string, Entry>()
  /** All entries by name, cached until one is added or removed. */
  #sorted: readonly Entry[] | undefined
  readonly #reservedNames = new Set<string>()
  readonly #reservedPorts = new Set<number>()
  readonly #changes = new Map<string, Promise<unknown>>()
  readonly #lastReport = new Map<string, string>()
  readonly #store: RecordStore<StoredWorkload>
  readonly #publish: (event: WorkloadEvent) => void

  constructor(store: RecordStore<StoredWorkload>, publish: (event: WorkloadEvent) => void) {
    this.#store = store
    this.#publish = publish
  }

  async load(): Promise<void> {
    for (const stored of await this.#store.load()) {
      const observed = nothingObserved()
      if (stored.handle) observed.handle = stored.handle
      this.#entries.set(keyOf(stored.config.name), { stored, observed })
    }
    this.#sorted = undefined
  }

  /** Exact spelling only: a name in another case is unknown. */
  find(name: string): Entry | undefined {
    const entry = this.#entries.get(keyOf(name))
    return entry?.stored.config.name === name ? entry : undefined
  }

  get(name: string): Entry {
    const entry = this.find(name)
    if (!entry) throw notFound(`workload ${name} not found; GET /api/v1beta/workloads?all=true lists them`)
    return entry
  }

  all(): readonly Entry[] {
    return (this.#sorted ??= [...this.#entries.values()].toSorted((a, b) =>
      compareNames(a.stored.config.name, b.stored.config.name),
    ))
  }

  isNameTaken(name: string): boolean {
    return this.#entries.has(keyOf(name)) || this.#reservedNames.has(keyOf(name))
  }

  isPortTaken(port: number): boolean {
    return this.#reservedPorts.has(port) || this.nameAtPort(port) !== undefined
  }

  /** The workload that has this port. A workload that is being created has none yet. */
  nameAtPort(port: number): string | undefined {
    return [...this.#entries.values()].find(({ stored }) => stored.port === port)?.stored.config.name
  }

  /** Whether a workload uses this port of this machine, through the gateway or directly on the machine's network. */
  isReachedAt(port: number): boolean {
    const isOnHost = ({ config }: StoredWorkload) => config.network_mode === 'host' && config.target_port === port
    return this.isPortTaken(port) || [...this.#entries.values()].some(({ stored }) => isOnHost(stored))
  }

  /** Reserves name and port during the checks of a create, so that two creates of one name cannot both pass. */
  reserve(name: string, port: number): Disposable {
    if (this.isNameTaken(name))
      throw conflict(`workload ${name} already exists; choose another name or delete it first`)
    this.#reservedNames.add(keyOf(name))
    this.#reservedPorts.add(port)
    return {
      [Symbol.dispose]: () => {
        this.#reservedNames.delete(keyOf(name))
        this.#reservedPorts.delete(port)
      },
    }
  }

  /** The caller must hold the reservation. */
  async add(stored: StoredWorkload): Promise<void> {
    await this.#store.save(stored)
    this.#entries.set(keyOf(stored.config.name), { stored, observed: { ...nothingObserved(), instance: 'absent' } })
    this.#sorted = undefined
    this.report(stored.config.name)
  }

  /** `change` sees the newest state and is applied after all earlier changes. */
  async change(
    name: string,
    change: (stored: StoredWorkload) => StoredWorkload,
    { forgetsFailure = false } = {},
  ): Promise<void> {
    await this.#serialise(name, async () => {
      const entry = this.get(name)
      const next = change(entry.stored)
      if (next === entry.stored) return
      await this.#store.save(next)
      entry.stored = next
      // Before the status is announced: a stopped workload that is wanted again must not show the error of its last run.
      if (forgetsFailure) {
        entry.observed.attempts = 0
        delete entry.observed.failure
      }
      this.report(name)
    })
  }

  /** Merges what was observed, and notifies listeners if the derived status changed. */
  observe(name: string, seen: Partial<Observed>, forget: readonly (keyof Observed)[] = []): void {
    const entry = this.find(name)
    if (!entry) return
    Object.assign(entry.observed, seen)
    for (const key of forget) Reflect.deleteProperty(entry.observed, key)
    this.report(name)
  }

  async forget(name: string): Promise<void> {
    await this.#serialise(name, async () => {
      await this.#store.remove(name)
      this.#entries.delete(keyOf(name))
      this.#sorted = undefined
      this.#lastReport.delete(keyOf(name))
      this.#publish({ workload: name, status: 'removed', status_context: '' })
    })
  }

  status(name: string): StatusReport {
    const { stored, observed } = this.get(name)
    return deriveStatus(stored, observed)
  }

  report(name: string): void {
    const { observed } = this.get(name)
    const { status, context } = this.status(name)
    const progress = status === 'starting' ? observed.progress : undefined
    const event: WorkloadEvent = { workload: name, status, status_context: context, ...(progress && { progress }) }
    const text = JSON.stringify(event)
    if (this.#lastReport.get(keyOf(name)) === text) return
    this.#lastReport.set(keyOf(name), text)
    this.#publish(event)
  }

  async #serialise<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#changes.get(keyOf(name)) ?? Promise.resolve()
    const run = before.then(work, work)
    const settled = run.catch(() => undefined)
    this.#changes.set(keyOf(name), settled)
    try {
      return await run
    } finally {
      if (this.#changes.get(keyOf(name)) === settled) this.#changes.delete(keyOf(name))
    }
  }
}

const keyOf = (name: string) => name.toLowerCase()

/** Plain code-unit order, the same on every machine. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
