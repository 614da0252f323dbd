import { describeError } from '../../errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Sighting } from '../../ports/egress.ts'
import type { Logger } from '../../ports/logger.ts'
import type { RecordStore, SeenPlace, StoredSightings } from '../../ports/stores.ts'
import type { Masker } from '../../secrets/masker.ts'
import { timestamp } from '../config/timestamp.ts'

export interface SightingsDeps {
  store: RecordStore<StoredSightings>
  clock: Clock
  masker: Masker
  logger: Logger
  shutdown: AbortSignal
}

/** A limit, so that a workload that tries many names fills neither the memory nor the disk. */
const MOST_PLACES = 500
const MOST_PATHS = 20
const LONGEST_PATH = 200
/** Counts on the disk may be this old. A new host is stored at once. */
const SAVE_MS = 5_000

/** The connections of each workload, counted by host and port and kept across restarts. */
export class Sightings {
  readonly #deps: SightingsDeps
  readonly #records = new Map<string, StoredSightings>()
  readonly #unsaved = new Set<string>()
  readonly #writing = new Map<string, Promise<void>>()

  constructor(deps: SightingsDeps) {
    this.#deps = deps
  }

  async load(): Promise<void> {
    for (const record of await this.#deps.store.load()) this.#records.set(record.name, record)
  }

  of(name: string): StoredSightings | undefined {
    return this.#records.get(name)
  }

  add(name: string, sighting: Sighting): void {
    const record = this.#records.get(name) ?? this.#start(name)
    const seen = withoutSecrets(this.#deps.masker, sighting)
    const at = timestamp(this.#deps)
    const known = record.places.find(
      ({ host, port, outcome }) => host === seen.host && port === seen.port && outcome === seen.outcome,
    )
    if (known) count(known, seen, at)
    else if (record.places.length < MOST_PLACES) record.places.push(placeOf(seen, at))
    else record.dropped += 1
    this.#save(name)
  }

  /** Drops the earlier records and starts again. */
  begin(name: string): void {
    this.#start(name)
    this.#save(name)
  }

  async forget(name: string): Promise<void> {
    this.#unsaved.delete(name)
    if (this.#records.delete(name)) await this.#deps.store.remove(name)
  }

  /** Waits until everything is stored; after shutdown, that is immediate. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#writing.values())
  }

  #start(name: string): StoredSightings {
    const record = { name, since: timestamp(this.#deps), places: [], dropped: 0 }
    this.#records.set(name, record)
    return record
  }

  #save(name: string): void {
    this.#unsaved.add(name)
    if (this.#writing.has(name)) return
    this.#writing.set(
      name,
      this.#write(name).finally(() => this.#writing.delete(name)),
    )
  }

  async #write(name: string): Promise<void> {
    const { store, clock, logger, shutdown } = this.#deps
    while (this.#unsaved.delete(name)) {
      const record = this.#records.get(name)
      if (!record) return
      try {
        await store.save(record)
      } catch (error) {
        // The records are still in memory, and the next connection tries again.
        logger.warn('the connections of a workload could not be stored', {
          workload: name,
          reason: describeError(error),
        })
        return
      }
      await clock.sleep(SAVE_MS, shutdown).catch(() => undefined)
    }
  }
}

/** A server could smuggle a secret out in a host name. Such a name must not appear in a profile that is shown. */
function withoutSecrets(masker: Masker, { path, reason, ...seen }: Sighting): Sighting {
  const host = masker.mask(seen.host)
  const rest = { ...seen, ...(path !== undefined && { path: masker.mask(path).slice(0, LONGEST_PATH) }) }
  if (host !== seen.host) return { ...rest, host, outcome: 'unfit', reason: 'its name holds a secret of a workload' }
  return { ...rest, ...(reason !== undefined && { reason: masker.mask(reason) }) }
}

function placeOf(seen: Sighting, at: string): SeenPlace {
  const { host, port, outcome, reason } = seen
  const place: SeenPlace = { host, port, outcome, speaks: [], paths: [], count: 0, firstAt: at, lastAt: at }
  if (reason !== undefined) place.reason = reason
  count(place, seen, at)
  return place
}

function count(place: SeenPlace, { speaks, path }: Sighting, at: string): void {
  place.count += 1
  place.lastAt = at
  if (speaks && !place.speaks.includes(speaks)) place.speaks.push(speaks)
  if (path !== undefined && place.paths.length < MOST_PATHS && !place.paths.includes(path)) place.paths.push(path)
}
