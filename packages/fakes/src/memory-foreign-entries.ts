import type { ClientEntry } from '@toolhaven/core/ports/clients'
import type { EntryPlace, ForeignEntries, ForeignEntry, ServerDefinition } from '@toolhaven/core/ports/foreign-entries'

const EMPTY: ServerDefinition = { args: [], env: {}, headers: {}, isDisabled: false, unsupported: [] }

/** Entries of clients in memory; an entry's text is its definition as JSON. */
export class MemoryForeignEntries implements ForeignEntries {
  readonly places: (EntryPlace & { text: string })[] = []
  readonly faults: { client: EntryPlace['client']; reason: string }[] = []
  readonly oldCopies: string[] = []
  /** Writing fails with this error, as for a read-only file. */
  failWith: Error | undefined

  add(client: EntryPlace['client'], key: string, definition: Partial<ServerDefinition>): void {
    this.places.push({ client, path: `/home/${client}.json`, key, text: JSON.stringify({ ...EMPTY, ...definition }) })
  }

  textOf(client: EntryPlace['client'], key: string): string | undefined {
    return this.places.find((place) => place.client === client && place.key === key)?.text
  }

  async list(): Promise<{ entries: ForeignEntry[]; faults: MemoryForeignEntries['faults'] }> {
    return {
      entries: this.places.map((place) => ({ ...place, definition: this.read(place.text) })),
      faults: this.faults,
    }
  }

  read(text: string): ServerDefinition {
    return { ...EMPTY, ...JSON.parse(text) }
  }

  async point(place: EntryPlace, before: string, to: ClientEntry): Promise<'written' | 'changed'> {
    if (this.failWith) throw this.failWith
    const found = this.#find(place)
    if (found?.text !== before) return 'changed'
    found.text = JSON.stringify({ url: to.url })
    return 'written'
  }

  async restore(place: EntryPlace, url: string, original: string): Promise<'restored' | 'changed' | 'gone'> {
    if (this.failWith) throw this.failWith
    const found = this.#find(place)
    if (!found) return 'gone'
    if (found.text !== original && this.read(found.text).url !== url) return 'changed'
    found.text = original
    return 'restored'
  }

  async copies(): Promise<string[]> {
    return this.oldCopies
  }

  #find({ client, path, key }: EntryPlace) {
    return this.places.find((place) => place.client === client && place.path === path && place.key === key)
  }
}
