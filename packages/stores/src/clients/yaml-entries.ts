import type { EntriesDocument, EntryFields, EntryShape } from './entries-document.ts'
import type { Footprint } from './owned-entries.ts'
import {
  addEntries,
  changeEntry,
  entriesIn,
  type OpenYaml,
  placeIn,
  removeEntry,
  type YamlEntry,
} from './yaml-document.ts'
import { contentOf, valueOf, type YamlItem, type YamlNode } from './yaml-tree.ts'

/** Entries are items of a map, or of a list whose items have names. Every edit is one of the text. */
export function openYamlEntries(
  file: string,
  found: string | null,
  before: Footprint,
  shape: EntryShape,
): EntriesDocument {
  const text = found ?? ''
  const footprint: Footprint = { ...before, ...(found === null && { blank: null }) }
  const document: OpenYaml = { file, shape, footprint, text, place: placeIn(text, file, shape) }
  return {
    footprint,
    list: () =>
      entriesIn(document).map(({ key, url, isEditable, item }) => ({
        ...{ key, url, isEditable },
        isExactly: (fields) => isEditable && isExactly(fields, item.value),
      })),
    add: (entries) => addEntries(document, entries),
    change: (key, url, fields) => changeEntry(document, key, url, fields),
    remove: (key, url) => removeEntry(document, key, url),
    foreignPart: (isOurs) => foreignPart(document, (entry) => entry.isEditable && isOurs(entry.key, entry.url)),
    close: () => (footprint.blank === null && document.text === '' ? null : document.text),
  }
}

function foreignPart(document: OpenYaml, isOurs: (entry: YamlEntry) => boolean): string {
  const { root, item, servers } = document.place
  const ours = new Set(entriesIn(document).flatMap((entry) => (isOurs(entry) ? [entry.item] : [])))
  const isVoid = servers === undefined || servers.items.every((each) => ours.has(each))
  const isLeftOut = (each: YamlItem) => ours.has(each) || (isVoid && each === item)
  return JSON.stringify(root === undefined ? ['map', null, null, []] : contentOf(root, isLeftOut))
}

function isExactly(fields: EntryFields, value: YamlNode): boolean {
  const present = new Map(value.items.map((item): [string | undefined, unknown] => [item.key, valueOf(item.value)]))
  return (
    value.items.length === Object.keys(fields).length &&
    Object.entries(fields).every(([field, wanted]) => JSON.stringify(present.get(field)) === JSON.stringify(wanted))
  )
}
