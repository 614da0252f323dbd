import type { ClientEntry } from '@toolhaven/core/ports/clients'
import type { Node } from 'jsonc-parser'
import { type EntryForm, entryFields, entryType, entryUrl, isExactly } from './entry-form.ts'
import type { PlainValue } from './jsonc-insert.ts'
import { keyOf, propertiesOf, valueOf } from './jsonc-text.ts'
import type { Footprint, OwnedEntry, OwnedFile } from './owned-entries.ts'
import {
  addEntries,
  changeEntry,
  closeDocument,
  type EntryShape,
  listEntries,
  openDocument,
  removeEntry,
  type ServersDocument,
  serversIn,
} from './servers-document.ts'

export interface EntriesPlan {
  /** The whole new text; null when there should be no file. */
  text: string | null
  entries: OwnedEntry[]
  footprint: Footprint
  notes: string[]
  /** Whether anything of ours was in the file already. */
  hadOurs: boolean
}

export interface PlanInput {
  /** For messages. */
  client: string
  program: EntryShape
  /** Text of the file without a byte order mark; null when there is none. */
  found: string | null
  owned: OwnedFile
  wanted: ReadonlyMap<string, ClientEntry>
  /** All workloads, wanted in this file or not: an entry that is exactly what we would write for one of them is ours. */
  known?: ReadonlyMap<string, ClientEntry>
}

/** What a client file should become so that our entries are the wanted ones. Pure; entries of others come out as they went in. */
export function planEntries({ client, program, found, owned, wanted, known = new Map() }: PlanInput): EntriesPlan {
  const document = openDocument(owned.path, found, owned.footprint, program)
  const listed = [...owned.entries, ...forgotten(document, program, owned.entries, known)]
  const before = foreignPart(document, listed)
  const ours = stillOurs(document, listed)
  const notes = lettingGo(document, client, owned.entries, ours)
  const kept = new Map<string, OwnedEntry>()
  const added = new Map<string, PlainValue>()
  const taken = new Set(listEntries(document).map((entry) => entry.key))
  for (const [name, { url, transport }] of wanted) {
    const fields = entryFields(program, { url, transport })
    const type = entryType(program, { url, transport })
    const own = ours.get(name)
    if (own) {
      if (own.lastUrl !== url || own.type !== type) changeEntry(document, own.key, own.url, changing(program, fields))
      kept.set(name, { name, key: own.key, urls: [url], type })
    } else if (!listEntries(document).some((entry) => entry.url === url)) {
      const key = freeKey(name, taken)
      taken.add(key)
      added.set(key, fields)
      kept.set(name, { name, key, urls: [url], type })
    }
    const entry = kept.get(name)
    if (entry && entry.key !== name) notes.push(`${client} has an entry ${name} of its own; ours is ${entry.key}`)
  }
  addEntries(document, added)
  for (const [name, own] of ours) if (!wanted.has(name)) removeEntry(document, own.key, own.url)
  const entries = [...kept.values()]
  if (foreignPart(document, [...listed, ...entries]) !== before) {
    throw new Error(`the edit of ${owned.path} would change more than our entries`)
  }
  return { text: closeDocument(document), entries, footprint: document.footprint, notes, hadOurs: ours.size > 0 }
}

/** Fields that are always the same may be the user's by now. */
function changing({ extra = {} }: EntryForm, fields: Readonly<Record<string, PlainValue>>) {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !(field in extra)))
}

interface PresentEntry {
  key: string
  type: string
  /** As it stands in the file. */
  url: string
  /** As we last meant it to be. */
  lastUrl: string | undefined
}

/** An entry is ours while it has a url that we wrote there: whoever puts another one in has made it theirs. */
function stillOurs(document: ServersDocument, owned: readonly OwnedEntry[]): Map<string, PresentEntry> {
  const present = listEntries(document)
  const ours = new Map<string, PresentEntry>()
  for (const { name, key, urls, type } of owned) {
    const url = present.findLast((entry) => entry.key === key && urls.includes(entry.url ?? ''))?.url
    // Two urls are left by a change that was cut short: which one stands there does not matter, it is written again.
    if (url !== undefined) ours.set(name, { key, type, url, lastUrl: urls.length === 1 ? url : undefined })
  }
  return ours
}

/**
 * Entries that we must have written, though our list does not say so: an editor wrote an old copy of the file back, or the
 * list was damaged. A field more or less, and the entry is somebody's own.
 */
function forgotten(
  document: ServersDocument,
  form: EntryForm,
  owned: readonly OwnedEntry[],
  known: ReadonlyMap<string, ClientEntry>,
): OwnedEntry[] {
  const { servers } = serversIn(document)
  const present = servers === undefined ? [] : propertiesOf(servers)
  const isListed = (name: string) => owned.some((entry) => entry.name === name)
  return [...known].flatMap(([name, { url, transport }]) => {
    const fields = entryFields(form, { url, transport })
    const isExact = (entry: Node) => isKeyFor(name, keyOf(entry)) && isExactly(fields, valueOf(entry))
    const found = isListed(name) ? undefined : present.findLast(isExact)
    return found === undefined
      ? []
      : [{ name, key: keyOf(found), urls: [url], type: entryType(form, { url, transport }) }]
  })
}

const isKeyFor = (name: string, key: string) =>
  key === name || (key.startsWith(`${name}-toolhaven`) && /^(-\d+)?$/.test(key.slice(`${name}-toolhaven`.length)))

function lettingGo(
  document: ServersDocument,
  client: string,
  owned: readonly OwnedEntry[],
  ours: ReadonlyMap<string, PresentEntry>,
): string[] {
  const present = new Set(listEntries(document).map((entry) => entry.key))
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

/** All that is not ours, order and duplicates included, as text to compare. */
function foreignPart(document: ServersDocument, ours: readonly OwnedEntry[]): string {
  const { root, servers } = serversIn(document)
  const isOurs = (entry: Node) => {
    const url = entryUrl(document.shape, valueOf(entry))
    return ours.some((own) => own.key === keyOf(entry) && own.urls.includes(url ?? ''))
  }
  const data = (node: Node | undefined): unknown => {
    if (node?.type === 'array') return propertiesOf(node).map(data)
    if (node?.type !== 'object') return { [node?.type ?? 'nothing']: String(node?.value) }
    const members = propertiesOf(node).filter((member) => node !== servers || !isOurs(member))
    return {
      members: members
        .filter((member) => !isVoid(valueOf(member)))
        .map((member) => [keyOf(member), data(valueOf(member))]),
    }
  }
  const isVoid = (node: Node | undefined) => node !== undefined && node === servers && propertiesOf(node).every(isOurs)
  return JSON.stringify(data(root))
}
