import type { Adoption, ForeignServerList, UndoneAdoption } from '@toolhaven/contract/adopt'
import { ThvError, conflict, describeError, invalid, isThvError, notFound } from '../errors.ts'
import type { ForeignEntry, StoredAdoption } from '../ports/foreign-entries.ts'
import { clientUrl } from '../workloads/operations/read.ts'
import type { AdoptDeps } from './adopt-deps.ts'
import { type AdoptionWish, begin } from './begin.ts'
import { describeServer, lookAround, placeOf } from './look-around.ts'
import { readOriginals, writeOriginals } from './originals.ts'
import { takeBack } from './take-back.ts'
import { untilRunning } from '../workloads/operations/wait-for-status.ts'

/** Moves servers of clients into workloads and back; one at a time. */
export class Adoptions {
  readonly #deps: AdoptDeps
  #last: Promise<unknown> = Promise.resolve()

  constructor(deps: AdoptDeps) {
    this.#deps = deps
  }

  /** Adoptions that the end of the daemon interrupted are not in the clients' files yet. */
  async load(): Promise<void> {
    const { store, held, adopted } = this.#deps
    for (const { name, phase } of await store.load()) (phase === 'starting' ? held : adopted).add(name)
  }

  async list(): Promise<ForeignServerList> {
    const { servers, faults } = await lookAround(this.#deps)
    const records = await this.#deps.store.load()
    return {
      servers: servers.map(describeServer),
      adoptions: records.map((record) => adoptionOf(record, [])),
      faults: faults.map(({ client, reason }) => ({ client_type: client, reason })),
    }
  }

  async adopt(name: string, wish: AdoptionWish, signal: AbortSignal): Promise<Adoption> {
    return this.#inTurn(() => this.#adopt(name, wish, signal))
  }

  async #adopt(name: string, wish: AdoptionWish, signal: AbortSignal): Promise<Adoption> {
    const deps = this.#deps
    const { servers } = await lookAround(deps)
    const server = servers.find((each) => each.name === name)
    if (!server) throw notFound(`no client has a server ${name}; GET /api/v1beta/discovery/servers lists them`)
    if (!server.plan) throw invalid(`${name} cannot be adopted: ${server.obstacle}`)
    if (server.earlier && !deps.workloads.book.find(name)) {
      // A person removed the workload: first restore the entries that still point to it, then start again.
      await this.#undo(name)
      return this.#adopt(name, wish, signal)
    }
    let record = server.earlier
    try {
      record ??= await begin(deps, server, wish)
      await untilRunning(deps, name, signal)
    } catch (error) {
      throw await this.#calledOff(name, error)
    }
    return this.#point(record, server.entries)
  }

  /** Removes everything of an adoption that failed. If the daemon ends instead, the adoption continues at its next start. */
  async #calledOff(name: string, error: unknown): Promise<unknown> {
    if (this.#deps.shutdown.aborted) return error
    const record = await this.#find(name)
    if (record?.phase === 'starting') await takeBack(this.#deps, record)
    if (!isThvError(error)) return error
    return new ThvError(error.code, `${error.message}; the files of the clients were not changed`, { cause: error })
  }

  /** Called when the workload runs: its clients may use it. */
  async #point(earlier: StoredAdoption, entries: readonly ForeignEntry[]): Promise<Adoption> {
    const deps = this.#deps
    const { stored } = deps.workloads.book.get(earlier.name)
    const to = { url: clientUrl(stored), transport: stored.config.proxy_mode ?? 'streamable-http' }
    const record = await this.#withEntries({ ...earlier, phase: 'adopted', url: to.url }, entries)
    // Stored before the files change: each entry is then either the original or ours, and undoing finds both.
    await deps.store.save(record)
    const notes: string[] = []
    let written = 0
    for (const entry of entries) {
      const outcome = await deps.entries.point(entry, entry.text, to).catch(describeError)
      if (outcome === 'written') written += 1
      else if (outcome === 'changed')
        notes.push(`the entry ${entry.key} of ${entry.client} has changed since and was left as it is`)
      else notes.push(outcome)
    }
    if (written === 0 && earlier.phase === 'starting') {
      await takeBack(deps, record)
      throw conflict(`no entry of ${record.name} could be changed, so nothing was adopted: ${notes.join('; ')}`)
    }
    deps.held.delete(record.name)
    deps.adopted.add(record.name)
    await deps.workloads.syncClients()
    const copies = await deps.entries.copies(entries)
    if (copies.length > 0 && record.secrets.length > 0)
      notes.push(`an older copy may still hold keys; delete it when everything works: ${copies.join(', ')}`)
    return adoptionOf(record, notes)
  }

  async #withEntries(record: StoredAdoption, entries: readonly ForeignEntry[]): Promise<StoredAdoption> {
    const isKnown = (entry: ForeignEntry) =>
      record.entries.some(
        ({ client, path, key }) => client === entry.client && path === entry.path && key === entry.key,
      )
    const added = entries.filter((entry) => !isKnown(entry))
    if (added.length === 0) return record
    const texts = [...(await readOriginals(this.#deps, record)), ...added.map(({ text }) => text)]
    const places = added.map(({ client, path, key }) => ({ client, path, key }))
    return writeOriginals(this.#deps, { ...record, entries: [...record.entries, ...places] }, texts)
  }

  async undo(name: string): Promise<UndoneAdoption> {
    return this.#inTurn(() => this.#undo(name))
  }

  /** Restores the files first: if one cannot be written, the workload still serves its clients. */
  async #undo(name: string): Promise<UndoneAdoption> {
    const deps = this.#deps
    const record = await this.#find(name)
    if (!record) throw notFound(`${name} was not adopted, so there is nothing to undo`)
    const texts = record.phase === 'adopted' ? await readOriginals(deps, record) : []
    const restored: UndoneAdoption['restored'] = []
    const notes: string[] = []
    for (const [at, text] of texts.entries()) {
      const place = record.entries[at]
      if (!place) continue
      const outcome = await deps.entries.restore(place, record.url, text)
      if (outcome === 'restored') restored.push(placeOf(place))
      else if (outcome === 'gone')
        notes.push(`the entry ${place.key} of ${place.client} has been removed since and was not restored`)
      else notes.push(`the entry ${place.key} of ${place.client} has changed since and was left as it is`)
    }
    const { removed, notes: more } = await takeBack(deps, record)
    await deps.journal.append({ actor: 'api', action: 'undo-adoption', target: name })
    return { name, restored, removed_secrets: removed, notes: [...notes, ...more] }
  }

  async #find(name: string): Promise<StoredAdoption | undefined> {
    return (await this.#deps.store.load()).find((record) => record.name === name)
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#last.then(work)
    this.#last = run.catch(() => undefined)
    return run
  }
}

function adoptionOf({ name, phase, entries, secrets }: StoredAdoption, notes: string[]): Adoption {
  return { name, status: phase, found_in: entries.map(placeOf), secrets, notes }
}
