import type { ExitRecord } from '@toolhaven/contract/exits'
import { describeError } from '../errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { RecordStore, StoredExits } from '../ports/stores.ts'
import type { Masker } from '../secrets/masker.ts'
import { timestamp } from '../workloads/config/timestamp.ts'

export interface ExitHistoryDeps {
  store: RecordStore<StoredExits>
  clock: Clock
  masker: Masker
  logger: Logger
}

/** A limit, so that a server that keeps ending fills neither the memory nor the disk. */
const MOST_EXITS = 20
const LONGEST_LINE = 500

/** The unrequested exits of each workload's server, kept across restarts of the daemon. */
export class ExitHistory {
  readonly #deps: ExitHistoryDeps
  readonly #records = new Map<string, StoredExits>()
  readonly #writing = new Map<string, Promise<void>>()

  constructor(deps: ExitHistoryDeps) {
    this.#deps = deps
  }

  async load(): Promise<void> {
    for (const record of await this.#deps.store.load()) this.#records.set(record.name, record)
  }

  /** Newest first. */
  of(name: string): ExitRecord[] {
    return this.#records.get(name)?.exits.toReversed() ?? []
  }

  add(name: string, { last_lines: lines, ...exit }: Omit<ExitRecord, 'ended_at'>): void {
    const { masker } = this.#deps
    const before = this.#records.get(name)?.exits ?? []
    const record: ExitRecord = {
      ...exit,
      ended_at: timestamp(this.#deps),
      reason: masker.mask(exit.reason),
      last_lines: lines.map((line) => masker.mask(line).slice(0, LONGEST_LINE)),
    }
    this.#records.set(name, { name, exits: [...before, record].slice(-MOST_EXITS) })
    this.#save(name)
  }

  async forget(name: string): Promise<void> {
    const isThere = this.#records.delete(name)
    await this.#writing.get(name)
    if (isThere) await this.#deps.store.remove(name)
  }

  /** Waits until everything is written. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#writing.values())
  }

  /** One write at a time for each workload; the last one contains everything. */
  #save(name: string): void {
    const before = this.#writing.get(name) ?? Promise.resolve()
    const writing = before.then(() => this.#write(name))
    this.#writing.set(name, writing)
    void writing.finally(() => this.#writing.get(name) === writing && this.#writing.delete(name))
  }

  async #write(name: string): Promise<void> {
    const record = this.#records.get(name)
    if (!record) return
    await this.#deps.store.save(record).catch((error: unknown) => {
      // The exits are still in memory, and the next exit tries again.
      this.#deps.logger.warn('the exits of a workload could not be stored', {
        workload: name,
        reason: describeError(error),
      })
    })
  }
}
