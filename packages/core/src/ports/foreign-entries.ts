import type { ClientType } from '@toolhaven/contract/client-types'
import type { ClientEntry } from './clients.ts'

/** Entries that others made in the configuration files of client programs. */
export interface ForeignEntries {
  /** All of them, in every installed client's file. A file that cannot be read is a fault and hides nothing else. */
  list(): Promise<{ entries: ForeignEntry[]; faults: { client: ClientType; reason: string }[] }>

  /** What an entry says, from its text. */
  read(text: string): ServerDefinition

  /**
   * Makes the entry lead to `to` if its text still is `before`; fields that only concern the client stay, and nothing else
   * in the file changes. No copy of the file is left behind: it may hold keys.
   */
  point(place: EntryPlace, before: string, to: ClientEntry): Promise<'written' | 'changed'>

  /** Puts the entry's text back if it leads to `url`, or is that text already. */
  restore(place: EntryPlace, url: string, original: string): Promise<'restored' | 'changed' | 'gone'>

  /** Copies beside the files that an earlier change of ours left. */
  copies(places: readonly EntryPlace[]): Promise<string[]>
}

export interface EntryPlace {
  client: ClientType
  path: string
  key: string
}

export interface ForeignEntry extends EntryPlace {
  /** As it stands in the file, comments included. */
  text: string
  definition: ServerDefinition
}

/** How a client starts or reaches a server. */
export interface ServerDefinition {
  command?: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  url?: string
  /** The client's own word for the transport. */
  type?: string
  headers: Readonly<Record<string, string>>
  isDisabled: boolean
  /** Fields that change how the server runs and that a workload has no words for. */
  unsupported: readonly string[]
  /** Why nothing can be made of the entry. */
  fault?: string
}

/** What is kept of an adoption so that it can be undone. No key is in it. */
export interface StoredAdoption {
  /** Also the workload's. */
  name: string
  phase: 'starting' | 'adopted'
  /** What the entries lead to once adopted. */
  url: string
  entries: EntryPlace[]
  /** The entries' texts as they were: here when nothing secret is in them, else as JSON in this secret. */
  originals: { texts: string[] } | { secret: string }
  /** Made for this adoption; `originals` not among them. */
  secrets: string[]
}
