import type { ClientType } from '@toolhaven/contract/client-types'
import { parseClientType } from '@toolhaven/contract/client-types'
import { DEFAULT_GROUP } from '@toolhaven/contract/names'
import { notFound } from '../errors.ts'
import type { Announce } from '../event-bus.ts'
import type { RecordStore, StoredGroup } from '../ports/stores.ts'
import { compareNames } from '../workloads/running/book.ts'

/** All groups in memory, written through. The default group always exists. */
export class GroupBook {
  readonly #groups = new Map<string, StoredGroup>()
  readonly #store: RecordStore<StoredGroup>
  readonly #announce: Announce
  #last: Promise<unknown> = Promise.resolve()

  constructor(store: RecordStore<StoredGroup>, announce: Announce) {
    this.#store = store
    this.#announce = announce
  }

  async load(): Promise<void> {
    for (const group of await this.#store.load()) this.#groups.set(group.name, group)
    if (!this.#groups.has(DEFAULT_GROUP))
      this.#groups.set(DEFAULT_GROUP, { name: DEFAULT_GROUP, registeredClients: [] })
  }

  has(name: string): boolean {
    return this.#groups.has(name)
  }

  get(name: string): StoredGroup {
    const group = this.#groups.get(name)
    if (!group) throw notFound(`group ${name} not found; create it first`)
    return group
  }

  all(): StoredGroup[] {
    return [...this.#groups.values()].toSorted((a, b) => compareNames(a.name, b.name))
  }

  clientsOf(group: string): ClientType[] {
    return (this.#groups.get(group)?.registeredClients ?? []).flatMap((client) => parseClientType(client) ?? [])
  }

  /** One change at a time. `change` sees the newest state, and its result is stored before it takes effect. */
  async change(name: string, change: (group: StoredGroup | undefined) => StoredGroup | undefined): Promise<void> {
    const run = this.#last.then(async () => {
      const before = this.#groups.get(name)
      const after = change(before)
      if (after === before) return
      if (after) await this.#store.save(after)
      else await this.#store.remove(name)
      if (after) this.#groups.set(name, after)
      else this.#groups.delete(name)
      this.#announce({ about: 'group', name })
      for (const client of differing(before?.registeredClients, after?.registeredClients))
        this.#announce({ about: 'client', name: client })
    })
    this.#last = run.catch(() => undefined)
    await run
  }
}

/** The entries that are in only one of the two lists. */
function differing(before: readonly string[] = [], after: readonly string[] = []): string[] {
  return [...before.filter((each) => !after.includes(each)), ...after.filter((each) => !before.includes(each))]
}
