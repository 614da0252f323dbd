import type { ClientEntry } from '@toolhaven/core/ports/clients'
import type { EntryPlace } from '@toolhaven/core/ports/foreign-entries'
import type { EntryShape } from '../clients/entries-document.ts'
import { entryFields } from '../clients/entry-form.ts'
import { entrySection, entryTables, parseToml, tableOf, tableText } from '../clients/toml-entries.ts'
import { SERVER_FIELDS } from './server-definition.ts'

type Place = Pick<EntryPlace, 'path' | 'key'>

/** The entries that are separate tables. Those in another spelling cannot be replaced, and are skipped. */
export function tablesIn(text: string, path: string, { serversKey }: EntryShape) {
  const tables = entryTables(text, serversKey)
  return Object.entries(tableOf(parseToml(text, path)[serversKey])).flatMap(([key, value]) => {
    const section = entrySection(tables.get(key))
    return section === undefined ? [] : [{ key, text: text.slice(section.from, section.to), value }]
  })
}

export function replaceTable(text: string, { path, key }: Place, { serversKey }: EntryShape, table: string): string {
  const section = entrySection(entryTables(text, serversKey).get(key))
  // The caller has just seen it.
  if (section === undefined) throw new Error(`${path} has no table ${key}`)
  const after = text.slice(0, section.from) + table + text.slice(section.to)
  // Do not write a text that cannot be read back.
  parseToml(after, path)
  return after
}

/** The entry changed to point to an address. Fields that only concern the client stay. */
export function pointedTable(text: string, { path, key }: Place, shape: EntryShape, to: ClientEntry): string {
  const present = tableOf(tableOf(parseToml(text, path)[shape.serversKey])[key])
  const kept = Object.entries(present).filter(([field]) => !SERVER_FIELDS.has(field))
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const table = tableText(shape.serversKey, key, { ...entryFields(shape, to, key), ...Object.fromEntries(kept) }, eol)
  const section = entrySection(entryTables(text, shape.serversKey).get(key))
  const hasEnd = section === undefined || text.slice(section.from, section.to).endsWith('\n')
  return hasEnd ? table : table.replace(/\r?\n$/, '')
}

/** The entry that the text of one table holds. */
export function entryOfTable(text: string): unknown {
  const [servers] = Object.values(parseToml(text, 'the entry'))
  return Object.values(tableOf(servers))[0]
}
