import type { ClientEntry } from '@toolhaven/core/ports/clients'
import type { EntryPlace } from '@toolhaven/core/ports/foreign-entries'
import type { EntryShape } from '../clients/entries-document.ts'
import { entryFields } from '../clients/entry-form.ts'
import { lineEndOf } from '../clients/jsonc-insert.ts'
import { blockLines, flowText, indentAt, linesOf, splice } from '../clients/yaml-edit.ts'
import { entriesIn, placeIn } from '../clients/yaml-document.ts'
import { parseYaml, valueOf } from '../clients/yaml-tree.ts'
import { SERVER_FIELDS } from './server-definition.ts'

type Place = Pick<EntryPlace, 'path' | 'key'>

/** The items of a YAML file that are written without anchors, aliases and tags. Others cannot be replaced, and are skipped. */
export function itemsIn(text: string, path: string, shape: EntryShape) {
  const place = placeIn(text, path, shape)
  const { servers } = place
  if (servers === undefined) return []
  return entriesIn({ text, place, shape }).flatMap(({ key, item, isEditable }) => {
    const value = valueOf(item.value)
    if (!isEditable || isPartOfClient(shape, value)) return []
    const lines = servers.isFlow ? item : linesOf(text, item)
    return [{ key, value, servers, item, from: lines.from, to: lines.to, text: text.slice(lines.from, lines.to) }]
  })
}

export function replaceItem(text: string, place: Place, shape: EntryShape, by: string): string {
  const { from, to } = find(text, place, shape)
  const after = splice(text, from, to - from, by)
  // Do not write a text that cannot be read back.
  placeIn(after, place.path, shape)
  return after
}

/** The entry changed to point to an address. Fields that only concern the client stay. */
export function pointedItem(text: string, place: Place, shape: EntryShape, to: ClientEntry): string {
  const found = find(text, place, shape)
  const { key, servers } = found
  const kept = Object.entries(Object(found.value)).filter(([field]) => !SERVER_FIELDS.has(field))
  const entry = new Map([[key, { ...entryFields(shape, to, key), ...Object.fromEntries(kept) }]])
  if (servers.isFlow) return flowText(servers.kind, entry)
  const eol = lineEndOf(text)
  const lines = blockLines(text, servers.kind, indentAt(text, found.item.from), entry).join(eol)
  return found.text.endsWith('\n') ? lines + eol : lines
}

function find(text: string, { path, key }: Place, shape: EntryShape) {
  const found = itemsIn(text, path, shape).findLast((item) => item.key === key)
  // The caller has just seen it.
  if (found === undefined) throw new Error(`${path} has no entry ${key}`)
  return found
}

/** The entry that the text of one item holds: under its key, or in a list. */
export function entryOfItem(text: string): unknown {
  const root = parseYaml(text, 'the entry')
  const [item, second] = root?.items ?? []
  const isAlone = item !== undefined && second === undefined && item.value.kind === 'map'
  return root && valueOf(isAlone ? item.value : root)
}

const isPartOfClient = ({ ownTypes = [] }: EntryShape, value: unknown) => ownTypes.includes(String(Object(value).type))
