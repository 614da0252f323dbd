import { lockPart, type LockPart } from '@toolhaven/contract/tools'
import { conflict, describeError, notFound } from '../errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { SeenDefinitions } from '../ports/gateway.ts'
import type { Logger } from '../ports/logger.ts'
import type { LockedDefinition, LockedPart, RecordStore, StoredToolLock } from '../ports/stores.ts'
import type { Masker } from '../secrets/masker.ts'
import { timestamp } from '../workloads/config/timestamp.ts'
import { describeChanges, labelOf } from './describe-changes.ts'
import {
  allAccepted,
  changesFor,
  isNewKind,
  waitingLists,
  withAccepted,
  withFirstOfKind,
  withWaiting,
} from './locked-part.ts'
import { changesOf } from './tool-difference.ts'

export interface ToolLocksDeps {
  store: RecordStore<StoredToolLock>
  clock: Clock
  masker: Masker
  logger: Logger
  /** A short summary of the differences from what was accepted. Undefined if there are none. */
  onDifference: (workload: string, what: string | undefined, isNew: boolean) => void
}

/** The chosen names, by part. */
export type Chosen = Readonly<Record<LockPart, readonly string[]>>

/** The accepted definitions of each workload's server: those first seen, or those that a person has accepted since. */
export class ToolLocks {
  readonly #deps: ToolLocksDeps
  readonly #locks = new Map<string, StoredToolLock>()
  readonly #hashes = new Map<string, ReadonlyMap<LockPart, ReadonlyMap<string, string>>>()
  readonly #writing = new Set<Promise<void>>()
  /** Locks that were unreadable when the daemon started and have been accepted or deleted since. */
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

  /** Hashes by name. Undefined if nothing of this part has been accepted yet. */
  acceptedHashes(name: string, part: LockPart): ReadonlyMap<string, string> | undefined {
    return this.of(name) && this.#hashes.get(name)?.get(part)
  }

  /**
   * Takes everything that the server now has of a part. The first list is accepted. `mode`: with `warn`, so is what the server
   * offers only to a kind of client that has not come before.
   */
  seen(name: string, part: LockPart, list: SeenDefinitions, mode: 'warn' | 'block' = 'warn'): void {
    const { revision, definitions, kind = '' } = list
    const lock = this.of(name) ?? { name, since: this.#now(), parts: {} }
    const known = lock.parts[part]
    if (known === undefined) {
      // An empty first list is not accepted, so that the server gets no trust in advance. Once its tools are known, an empty part counts too.
      const isFirst = definitions.length > 0 || (part !== 'tool' && lock.parts.tool !== undefined)
      const first = { accepted: this.#masked(definitions), ...(kind !== '' && { kind }) }
      if (isFirst) this.#save(withPart(lock, part, first))
      return
    }
    const why = this.#whyUnreadable(name)
    const isFirstOfKind = mode === 'warn' && why === undefined && isNewKind(known, kind)
    const extended = isFirstOfKind ? withFirstOfKind(known, this.#masked(definitions), kind) : known
    const isSame = changesFor(extended, definitions, kind).length === 0
    const waiting = waitingLists(extended)
    // What other kinds of clients were offered is still waiting.
    const others = waiting.filter((each) => (each.kind ?? '') !== kind)
    const isSettled = others.length === waiting.length
    const isKnown = isSame ? isSettled : waiting.some((each) => each.revision === revision)
    if (!isFirstOfKind && isKnown) return
    const seen = { at: this.#now(), revision, definitions: this.#masked(definitions), ...(kind !== '' && { kind }) }
    const next = withPart(lock, part, withWaiting(extended, isSame ? others : [seen, ...others]))
    // The file stays unchanged until the user has accepted the changes.
    if (why === undefined) this.#save(next)
    else this.#keep(next)
    if (!isSame || !isSettled) this.#deps.onDifference(name, describeChanges(next, why), true)
  }

  /** Accepts the chosen changes, or all. `revision` identifies what the user saw and agreed to. */
  async accept(
    name: string,
    chosen: Chosen | undefined,
    revision: string,
  ): Promise<{ part: LockPart; name: string }[]> {
    const lock = this.of(name)
    if (lock === undefined) return []
    const shown = revisionOf(lock)
    if (shown !== undefined && shown !== revision)
      throw conflict(`the tools of ${name} changed again since you read them; read them again`)
    const waiting = changesOf(lock)
    const unknown = lockPart.options.flatMap((part) =>
      (chosen?.[part] ?? [])
        .filter((wanted) => !waiting.some((change) => change.part === part && change.name === wanted))
        .map((wanted) => labelOf(part, wanted)),
    )
    if (unknown.length > 0)
      throw notFound(
        `${unknown.join(', ')}: no change of it is waiting to be accepted; "thv tools diff ${name}" shows the changes that are`,
      )
    const accepted = waiting.filter((change) => chosen === undefined || chosen[change.part].includes(change.name))
    if (accepted.length === 0) return []
    // Stored before it takes effect, so that the acceptance survives a crash.
    await this.#deps.store.save(withChanges(lock, accepted, lock))
    this.#readAgain.add(name)
    // A newer list may have been seen in the meantime, and stored after it.
    const now = this.#locks.get(name) ?? lock
    const next = withChanges(now, accepted, lock)
    if (now === lock) this.#keep(next)
    else this.#save(next)
    this.#deps.onDifference(name, describeChanges(next), false)
    return accepted.map((change) => ({ part: change.part, name: change.name }))
  }

  async forget(name: string): Promise<void> {
    const isThere = this.of(name) !== undefined
    this.#hashes.delete(name)
    this.#locks.delete(name)
    const isReadable = this.#whyUnreadable(name) === undefined
    if (isThere)
      await this.#deps.store.remove(name).catch((error: unknown) => {
        // A file of a newer version is not deleted; the workload is removed anyway.
        if (isReadable) throw error
      })
    this.#readAgain.add(name)
  }

  /** Waits until everything is written. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#writing)
  }

  /** Then nothing counts as accepted: damaging a lock must not make other tools trusted. */
  #emptyIfUnreadable(name: string): StoredToolLock | undefined {
    if (this.#whyUnreadable(name) === undefined) return undefined
    const parts = Object.fromEntries(lockPart.options.map((part) => [part, { accepted: [] }]))
    const lock = { name, since: this.#now(), parts }
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
      // The lock holds in memory while the daemon runs; the next change tries to store it again.
      logger.error('the tools of a workload could not be stored', {
        workload: lock.name,
        reason: describeError(error),
      })
    })
    this.#writing.add(writing)
    void writing.finally(() => this.#writing.delete(writing))
  }

  #keep(lock: StoredToolLock): void {
    this.#locks.set(lock.name, lock)
    const hashes = lockPart.options.flatMap((part) => {
      const known = lock.parts[part]
      return known ? [[part, new Map(allAccepted(known).map(({ name, hash }) => [name, hash]))] as const] : []
    })
    this.#hashes.set(lock.name, new Map(hashes))
  }

  /** Masked, so that a secret in a server's description does not reach the disk. The hash is of the original. */
  #masked(definitions: readonly LockedDefinition[]): LockedDefinition[] {
    const { masker } = this.#deps
    const mask = (_key: string, value: unknown): unknown => (typeof value === 'string' ? masker.mask(value) : value)
    return definitions.map(({ name, hash, definition }) => {
      if (masker.mask(definition) === definition) return { name, hash, definition }
      return { name, hash, definition: JSON.stringify(JSON.parse(definition, mask)) }
    })
  }

  #now(): string {
    return timestamp(this.#deps)
  }
}

function withPart(lock: StoredToolLock, part: LockPart, known: LockedPart): StoredToolLock {
  return { ...lock, parts: { ...lock.parts, [part]: known } }
}

function withChanges(
  lock: StoredToolLock,
  accepted: ReturnType<typeof changesOf>,
  { parts: shown }: StoredToolLock,
): StoredToolLock {
  return lockPart.options.reduce((result, part) => {
    const changes = accepted.filter((change) => change.part === part)
    const known = lock.parts[part]
    return known === undefined
      ? result
      : withPart(result, part, withAccepted(known, changes, waitingLists(shown[part])))
  }, lock)
}

/** Identifies the set of changes to accept. Undefined if there are none. */
export function revisionOf({ parts }: StoredToolLock): string | undefined {
  const named = lockPart.options.flatMap((part) => {
    const known = parts[part]
    return known === undefined ? [] : waitingLists(known).map(({ revision }) => `${part}:${revision}`)
  })
  return named.length === 0 ? undefined : named.join(',')
}
