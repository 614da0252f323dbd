import type { EntryForm } from './entry-form.ts'
import type { PlainValue } from './jsonc-insert.ts'
import type { Footprint } from './owned-entries.ts'

export type EntryFields = Readonly<Record<string, PlainValue>>

export interface EntryShape extends EntryForm {
  serversKey: string
  /** Newer releases list the servers under this key below it, and read both forms. */
  innerKey?: string
  /** Default: JSON with comments. */
  format?: 'toml' | 'yaml'
  /** The entries are a list, and each has its name in a field. */
  isList?: boolean
  /** Values of `type` by which the program means parts of itself. */
  ownTypes?: readonly string[]
}

/** An entry in the file. */
export interface ListedEntry {
  key: string
  /** Undefined if it has no address. */
  url: string | undefined
  /** Whether we can change and remove it in this form. Only such an entry can be ours. */
  isEditable: boolean
  /** Whether it has exactly these fields and values. */
  isExactly: (fields: EntryFields) => boolean
}

/** A client's file as text, and the edits we make of it. */
export interface EntriesDocument {
  readonly footprint: Footprint
  list(): ListedEntry[]
  add(entries: ReadonlyMap<string, EntryFields>): void
  /** Sets fields of an entry and leaves the others as the user or the client program made them. */
  change(key: string, url: string, fields: EntryFields): void
  remove(key: string, url: string): void
  /** Everything that is not ours, including order and duplicates, as text for comparison. */
  foreignPart(isOurs: (key: string, url: string | undefined) => boolean): string
  /** The text to write, or null when the file was not there before us and nothing of others is in it. */
  close(): string | null
}
