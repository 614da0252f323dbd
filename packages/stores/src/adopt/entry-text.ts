import type { ClientEntry } from '@toolhaven/core/ports/clients'
import type { EntryPlace } from '@toolhaven/core/ports/foreign-entries'
import { getNodeValue, type Node } from 'jsonc-parser'
import { entryFields, entryFor } from '../clients/entry-form.ts'
import { indentUnitOf, lineEndOf, lineIndentAt } from '../clients/jsonc-insert.ts'
import { endOf, keyOf, parseJsoncObject, propertiesOf, valueOf } from '../clients/jsonc-text.ts'
import type { EntryShape } from '../clients/entries-document.ts'
import { serversIn } from '../clients/servers-document.ts'
import { withinDepth } from '../clients/within-depth.ts'
import { itemsIn, pointedItem, replaceItem } from './item-text.ts'
import { pointedTable, replaceTable, tablesIn } from './table-text.ts'
import { SERVER_FIELDS } from './server-definition.ts'

export interface EntryText {
  key: string
  /** The value exactly as it is written. */
  text: string
  value: unknown
}

/** Every entry of the file, in order. */
export function entriesIn(text: string, path: string, shape: EntryShape): EntryText[] {
  return withinDepth(path, () => allEntriesIn(text, path, shape))
}

function allEntriesIn(text: string, path: string, shape: EntryShape): EntryText[] {
  if (shape.format === 'toml') return tablesIn(text, path, shape)
  if (shape.format === 'yaml') return itemsIn(text, path, shape)
  return propertiesIn(text, path, shape).flatMap((property) => {
    const node = valueOf(property)
    if (node === undefined) return []
    const value: unknown = getNodeValue(node)
    return [{ key: keyOf(property), text: text.slice(node.offset, endOf(node)), value }]
  })
}

/** Replaces the text of one entry's value. Every other byte stays. */
export function replaceEntry(text: string, { path, key }: EntryPlace, shape: EntryShape, value: string): string {
  if (shape.format === 'toml') return replaceTable(text, { path, key }, shape, value)
  if (shape.format === 'yaml') return replaceItem(text, { path, key }, shape, value)
  const { node } = find(text, path, key, shape)
  const after = text.slice(0, node.offset) + value + text.slice(endOf(node))
  // Do not write a text that cannot be read back.
  parseJsoncObject(after, path)
  return after
}

/** The entry changed to point to an address, in the old layout. Fields that only concern the client stay. */
export function pointedEntry(text: string, { path, key }: EntryPlace, shape: EntryShape, wanted: ClientEntry): string {
  const to = entryFor(shape, wanted)
  if (shape.format === 'toml') return pointedTable(text, { path, key }, shape, to)
  if (shape.format === 'yaml') return pointedItem(text, { path, key }, shape, to)
  const { node, property } = find(text, path, key, shape)
  const kept = propertiesOf(node)
    .filter((field) => !SERVER_FIELDS.has(keyOf(field)))
    .map((field): [string, unknown] => [keyOf(field), getNodeValue(valueOf(field) ?? node)])
  const value = { ...entryFields(shape, to, key), ...Object.fromEntries(kept) }
  if (!text.slice(node.offset, endOf(node)).includes('\n')) return JSON.stringify(value)
  const lines = JSON.stringify(value, undefined, indentUnitOf(text)).split('\n')
  return lines.join(lineEndOf(text) + lineIndentAt(text, property.offset))
}

function find(text: string, path: string, key: string, shape: EntryShape): { property: Node; node: Node } {
  const property = propertiesIn(text, path, shape).findLast((each) => keyOf(each) === key)
  const node = property && valueOf(property)
  // The caller has just seen it.
  if (property === undefined || node === undefined) throw new Error(`${path} has no entry ${key}`)
  return { property, node }
}

function propertiesIn(text: string, path: string, shape: EntryShape): readonly Node[] {
  const { servers } = serversIn({ text, file: path, shape, footprint: {} })
  return servers === undefined ? [] : propertiesOf(servers)
}
