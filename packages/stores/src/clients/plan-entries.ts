import type { ClientEntry } from '@toolhaven/core/ports/clients'
import { invalid } from '@toolhaven/core/errors'
import type { EntriesDocument, EntryFields, EntryShape } from './entries-document.ts'
import { type EntryForm, entryFields, entryFor, entryType } from './entry-form.ts'
import { openEntries } from './open-entries.ts'
import type { Footprint, OwnedEntry, OwnedFile } from './owned-entries.ts'
import { withinDepth } from './within-depth.ts'

export interface EntriesPlan {
  /** The whole new text, or null if there should be no file. */
  text: string | null
  entries: OwnedEntry[]
  footprint: Footprint
  notes: string[]
  /** Whether anything of ours was in the file already. */
  hadOurs: boolean
  /** The same, entry by entry. */
  changes: EntryChange[]
  /** Names of the foreign entries. */
  foreign: string[]
}

export interface EntryChange {
  name: string
  key: string
  change: 'add' | 'change' | 'keep' | 'remove'
  /** Undefined if the entry is removed. */
  fields?: EntryFields
}

export interface PlanInput {
  /** For messages. */
  client: string
  program: EntryShape
  /** Text of the file without a byte order mark; null when there is none. */
  found: string | null
  owned: OwnedFile
  wanted: ReadonlyMap<string, ClientEntry>
  /** All workloads, wanted in this file or not. An entry that is exactly what we would write for one of them is ours. */
  known?: ReadonlyMap<string, ClientEntry>
}

/** Computes the client file in which our entries are the wanted ones. A pure function that never changes foreign entries. */
export function planEntries(input: PlanInput): EntriesPlan {
  return withinDepth(input.owned.path, () => planOf(input))
}

function planOf({ client, program, found, owned, wanted, known = new Map() }: PlanInput): EntriesPlan {
  const document = openEntries(owned.path, found, owned.footprint, program)
  const listed = [...owned.entries, ...forgotten(document, program, owned.entries, known)]
  const before = foreignPart(document, listed)
  const ours = stillOurs(document, listed)
  const notes = lettingGo(document, client, owned.entries, ours)
  const kept = new Map<string, OwnedEntry>()
  const added = new Map<string, EntryFields>()
  const changes: EntryChange[] = []
  const taken = new Set(document.list().map((entry) => entry.key))
  const foreign = [...taken].filter((key) => [...ours.values()].every((own) => own.key !== key))
  for (const [name, workload] of wanted) {
    const entry = entryFor(program, workload)
    const { url } = entry
    const type = entryType(program, entry)
    const own = ours.get(name)
    if (own) {
      const isStale = own.lastUrl !== url || own.type !== type
      if (isStale) document.change(own.key, own.url, changing(program, entry, own.key))
      changes.push({
        name,
        key: own.key,
        change: isStale ? 'change' : 'keep',
        fields: entryFields(program, entry, own.key),
      })
      kept.set(name, { name, key: own.key, urls: [url], type })
    } else if (!document.list().some((present) => present.url === url)) {
      const key = freeKey(name, taken)
      taken.add(key)
      const fields = entryFields(program, entry, key)
      added.set(key, fields)
      changes.push({ name, key, change: 'add', fields })
      kept.set(name, { name, key, urls: [url], type })
    }
    const written = kept.get(name)
    if (written && written.key !== name) notes.push(`${client} has an entry ${name} of its own; ours is ${written.key}`)
  }
  document.add(added)
  for (const [name, own] of ours) {
    if (wanted.has(name)) continue
    document.remove(own.key, own.url)
    changes.push({ name, key: own.key, change: 'remove' })
  }
  const entries = [...kept.values()]
  if (foreignPart(document, [...listed, ...entries]) !== before) {
    throw invalid(
      `${owned.path} was left as it is, because adding Toolhaven's entries would change other parts of the file; add the servers by hand, as "thv list --format mcpservers" prints them`,
    )
  }
  const text = document.close()
  return { text, entries, footprint: document.footprint, notes, hadOurs: ours.size > 0, changes, foreign }
}

/** Without the fields that never differ between our entries, because the user may have changed them. */
function changing(form: EntryForm, entry: ClientEntry, key: string): EntryFields {
  const fields = Object.entries(entryFields(form, entry, key))
  return Object.fromEntries(fields.filter(([field]) => field !== form.nameField && !(field in (form.extra ?? {}))))
}

interface PresentEntry {
  key: string
  type: string
  /** As it stands in the file. */
  url: string
  /** The entry as we last intended it. */
  lastUrl: string | undefined
}

/** An entry is ours while it has a url that we wrote. A person who changes the url takes it over. */
function stillOurs(document: EntriesDocument, owned: readonly OwnedEntry[]): Map<string, PresentEntry> {
  const present = document.list()
  const ours = new Map<string, PresentEntry>()
  for (const { name, key, urls, type } of owned) {
    const url = present.findLast(
      (entry) => entry.isEditable && entry.key === key && urls.includes(entry.url ?? ''),
    )?.url
    // An interrupted change leaves two urls. Either may be in the file, because it is written again.
    if (url !== undefined) ours.set(name, { key, type, url, lastUrl: urls.length === 1 ? url : undefined })
  }
  return ours
}

/**
 * Entries that we must have written, though our list does not say so: an editor wrote an old copy of the file back, or the
 * list was damaged. A field more or less, and the entry is somebody's own.
 */
function forgotten(
  document: EntriesDocument,
  form: EntryForm,
  owned: readonly OwnedEntry[],
  known: ReadonlyMap<string, ClientEntry>,
): OwnedEntry[] {
  const present = document.list()
  const isListed = (name: string) => owned.some((entry) => entry.name === name)
  return [...known].flatMap(([name, workload]) => {
    const entry = entryFor(form, workload)
    const found = isListed(name)
      ? undefined
      : present.findLast(({ key, isExactly }) => isKeyFor(name, key) && isExactly(entryFields(form, entry, key)))
    return found === undefined ? [] : [{ name, key: found.key, urls: [entry.url], type: entryType(form, entry) }]
  })
}

const isKeyFor = (name: string, key: string) =>
  key === name || (key.startsWith(`${name}-toolhaven`) && /^(-\d+)?$/.test(key.slice(`${name}-toolhaven`.length)))

function lettingGo(
  document: EntriesDocument,
  client: string,
  owned: readonly OwnedEntry[],
  ours: ReadonlyMap<string, PresentEntry>,
): string[] {
  const present = new Set(document.list().map((entry) => entry.key))
  return owned
    .filter((entry) => !ours.has(entry.name) && present.has(entry.key))
    .map((entry) => `the entry ${entry.key} of ${client} was changed by hand and is left alone from now on`)
}

function freeKey(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  for (let number = 1; ; number += 1) {
    const key = number === 1 ? `${name}-toolhaven` : `${name}-toolhaven-${number}`
    if (!taken.has(key)) return key
  }
}

const foreignPart = (document: EntriesDocument, ours: readonly OwnedEntry[]): string =>
  document.foreignPart((key, url) => ours.some((own) => own.key === key && own.urls.includes(url ?? '')))
