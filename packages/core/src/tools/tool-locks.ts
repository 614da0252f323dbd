import { conflict, describeError, notFound } from '../errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { SeenTools } from '../ports/gateway.ts'
import type { Logger } from '../ports/logger.ts'
import type { LockedTool, RecordStore, StoredToolLock } from '../ports/stores.ts'
import type { Masker } from '../secrets/masker.ts'
import { timestamp } from '../workloads/timestamp.ts'
import { changedTools } from './tool-difference.ts'
import { visibleText } from './visible-text.ts'

export interface ToolLocksDeps {
  store: RecordStore<StoredToolLock>
  clock: Clock
  masker: Masker
  logger: Logger
  /** What differs now from what was accepted, in a few words; undefined: nothing. */
  onDifference: (workload: string, what: string | undefined, isNew: boolean) => void
}

/** The tools of each workload as they were accepted: when they were first seen, or by somebody since. */
export class ToolLocks {
  readonly #deps: ToolLocksDeps
  readonly #locks = new Map<string, StoredToolLock>()
  readonly #hashes = new Map<string, ReadonlyMap<string, string>>()
  readonly #writing = new Set<Promise<void>>()
  /** Locks that could not be read when the daemon started, and were accepted or forgotten since. */
  readonly #readAgain = new Set<string>()

  constructor(deps: ToolLocksDeps) {
    this.#deps = deps
  }

  async load(): Promise<void> {
    for (const lock of await this.#deps.store.load()) {
      this.#keep(lock)
      this.#deps.onDifference(lock.name, describeChanges(lock), false)
    }
  }

  of(name: string): StoredToolLock | undefined {
    return this.#locks.get(name) ?? this.#emptyIfUnreadable(name)
  }

  /** By tool; undefined: nothing was accepted yet. */
  acceptedHashes(name: string): ReadonlyMap<string, string> | undefined {
    return this.of(name) && this.#hashes.get(name)
  }

  /** All tools that the server has at this moment. The first ever seen are the accepted ones. */
  seen(name: string, { revision, tools }: SeenTools): void {
    const lock = this.of(name)
    if (lock === undefined) {
      // A server that has no tools yet is given no trust in advance.
      if (tools.length > 0) this.#save({ name, since: this.#now(), tools: this.#masked(tools) })
      return
    }
    const isSame = changedTools(lock.tools, tools).length === 0
    if (isSame ? lock.seen === undefined : lock.seen?.revision === revision) return
    const { seen: _seen, ...rest } = lock
    const next = isSame ? rest : { ...rest, seen: { at: this.#now(), revision, tools: this.#masked(tools) } }
    const why = this.#whyUnreadable(name)
    // The file stays as it is until the user has looked at the tools and accepted them.
    if (why === undefined) this.#save(next)
    else this.#keep(next)
    this.#deps.onDifference(name, describeChanges(next, why), true)
  }

  /** The named changes, or all, are as they should be from now on. `revision`: what somebody looked at and agreed to. */
  async accept(name: string, names: readonly string[] | undefined, revision: string): Promise<string[]> {
    const lock = this.of(name)
    if (lock?.seen !== undefined && lock.seen.revision !== revision)
      throw conflict(`the tools of ${name} changed again since they were shown; look at them again`)
    const waiting = lock?.seen === undefined ? [] : changedTools(lock.tools, lock.seen.tools)
    const unknown = (names ?? []).filter((wanted) => !waiting.some(({ tool }) => tool === wanted))
    if (unknown.length > 0)
      throw notFound(
        `${unknown.map(shortName).join(', ')}: no change of it waits to be accepted; "thv tools diff ${name}" shows those that do`,
      )
    const accepted = waiting.filter(({ tool }) => names === undefined || names.includes(tool))
    if (lock?.seen === undefined || accepted.length === 0) return []
    const tools = new Map(lock.tools.map((tool) => [tool.name, tool]))
    for (const { tool, after } of accepted)
      if (after) tools.set(tool, after)
      else tools.delete(tool)
    const { seen, ...rest } = lock
    const isDone = accepted.length === waiting.length
    const next = { ...rest, tools: [...tools.values()].toSorted(byName), ...(!isDone && { seen }) }
    // Written before it counts: what somebody agreed to must still hold after a crash.
    await this.#deps.store.save(next)
    this.#readAgain.add(name)
    this.#keep(next)
    this.#deps.onDifference(name, describeChanges(next), false)
    return accepted.map(({ tool }) => tool)
  }

  async forget(name: string): Promise<void> {
    const isThere = this.of(name) !== undefined
    this.#hashes.delete(name)
    this.#locks.delete(name)
    const isReadable = this.#whyUnreadable(name) === undefined
    if (isThere)
      await this.#deps.store.remove(name).catch((error: unknown) => {
        // A file of a newer version is left alone; the workload goes all the same.
        if (isReadable) throw error
      })
    this.#readAgain.add(name)
  }

  /** Waits until everything is written. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#writing)
  }

  /** Then nothing counts as accepted: who damages a lock must not be able to have other tools trusted. */
  #emptyIfUnreadable(name: string): StoredToolLock | undefined {
    if (this.#whyUnreadable(name) === undefined) return undefined
    const lock = { name, since: this.#now(), tools: [] }
    this.#keep(lock)
    return lock
  }

  #whyUnreadable(name: string): string | undefined {
    return this.#readAgain.has(name) ? undefined : this.#deps.store.unreadable?.().get(name.toLowerCase())
  }

  #save(lock: StoredToolLock): void {
    this.#keep(lock)
    const { store, logger } = this.#deps
    const writing = store.save(lock).catch((error: unknown) => {
      // It holds in memory as long as the daemon runs; the next change tries again.
      logger.error('the tools of a workload could not be written', {
        workload: lock.name,
        reason: describeError(error),
      })
    })
    this.#writing.add(writing)
    void writing.finally(() => this.#writing.delete(writing))
  }

  #keep(lock: StoredToolLock): void {
    this.#locks.set(lock.name, lock)
    this.#hashes.set(lock.name, new Map(lock.tools.map(({ name, hash }) => [name, hash])))
  }

  /** A server that puts a secret into a description must not bring it to the disk; the hash is of what it really said. */
  #masked(tools: readonly LockedTool[]): LockedTool[] {
    const { masker } = this.#deps
    const mask = (_key: string, value: unknown): unknown => (typeof value === 'string' ? masker.mask(value) : value)
    return tools.map(({ name, hash, definition }) => {
      if (masker.mask(definition) === definition) return { name, hash, definition }
      return { name, hash, definition: JSON.stringify(JSON.parse(definition, mask)) }
    })
  }

  #now(): string {
    return timestamp(this.#deps)
  }
}

const byName = (a: LockedTool, b: LockedTool) => (a.name < b.name ? -1 : 1)

const MOST_NAMES = 3
const KINDS = ['changed', 'added', 'removed'] as const

function describeChanges({ tools, seen }: StoredToolLock, whyUnreadable?: string): string | undefined {
  if (seen === undefined) return undefined
  if (whyUnreadable !== undefined)
    return `the record of the accepted tools cannot be read (${whyUnreadable}), so that all of them wait to be accepted`
  const changes = changedTools(tools, seen.tools)
  const said = KINDS.flatMap((wanted) => {
    const names = changes.filter(({ kind }) => kind === wanted).map(({ tool }) => shortName(tool))
    const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''
    return names.length === 0 ? [] : [`${names.slice(0, MOST_NAMES).join(', ')}${more} ${wanted}`]
  })
  return said.join('; ')
}

function shortName(tool: string): string {
  const shown = visibleText(tool)
  return shown.length > 60 ? `${shown.slice(0, 60)}…` : shown
}
