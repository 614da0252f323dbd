import type { ClientType } from '@toolhaven/contract/client-types'
import type { ClientEntry } from './clients.ts'

/** Entries in the configuration files of client programs that Toolhaven did not write. */
export interface ForeignEntries {
  /**
   * All of them, in the files of every installed client. A file that cannot be read is reported as a fault and does not hide the
   * others.
   */
  list(): Promise<{ entries: ForeignEntry[]; faults: { client: ClientType; reason: string }[] }>

  /** Parses the text of an entry. */
  read(text: string): ServerDefinition

  /**
   * Points the entry to `to` if its text is still `before`. Fields that only concern the client stay, and nothing else in the file
   * changes. Leaves no copy of the file, because it may hold keys.
   */
  point(place: EntryPlace, before: string, to: ClientEntry): Promise<'written' | 'changed'>

  /** Restores the entry's text if it points to `url`, or already is that text. */
  restore(place: EntryPlace, url: string, original: string): Promise<'restored' | 'changed' | 'gone'>

  /** Copies that our earlier changes left beside the files. */
  copies(places: readonly EntryPlace[]): Promise<string[]>
}

export interface EntryPlace {
  client: ClientType
  path: string
  key: string
}

export interface ForeignEntry extends EntryPlace {
  /** The text in the file, including comments. */
  text: string
  definition: ServerDefinition
}

/** How a client starts or reaches a server. */
export interface ServerDefinition {
  command?: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  url?: string
  /** The client's own name for the transport. */
  type?: string
  headers: Readonly<Record<string, string>>
  isDisabled: boolean
  /** Fields that change how the server runs and that a workload cannot express. */
  unsupported: readonly string[]
  /** Why the entry cannot be understood. */
  fault?: string
}

/** The record of an adoption, with which it can be undone. Contains no keys. */
export interface StoredAdoption {
  /** Also the name of the workload. */
  name: string
  phase: 'starting' | 'adopted'
  /** The address that adopted entries point to. */
  url: string
  entries: EntryPlace[]
  /** The original texts of the entries: here if they hold nothing secret, otherwise as JSON in this secret. */
  originals: { texts: string[] } | { secret: string }
  /** Secrets that were made for this adoption, without `originals`. */
  secrets: string[]
}
