import type { Node } from 'jsonc-parser'
import type { EntryShape } from './entries-document.ts'
import { entryUrl, urlFieldsOf } from './entry-form.ts'
import { insertProperties, type PlainValue } from './jsonc-insert.ts'
import { removeProperty } from './jsonc-remove.ts'
import {
  applyTextEdits,
  findProperty,
  keyOf,
  parseJsoncObject,
  propertiesOf,
  skipTrivia,
  type TextEdit,
  unreadable,
  valueOf,
} from './jsonc-text.ts'
import type { Footprint } from './owned-entries.ts'

/** One client file as text, and the edits we make of it. */
export interface ServersDocument {
  text: string
  /** What was read last. Another text is read again, so offsets never go stale. */
  read?: { text: string; root: Node }
  footprint: Footprint
  readonly file: string
  readonly shape: EntryShape
}

/** A file that is missing, empty or holds nothing but comments gets an object to write into. */
export function openDocument(
  file: string,
  found: string | null,
  footprint: Footprint,
  shape: EntryShape,
): ServersDocument {
  const document = { file, shape, footprint: { ...footprint }, text: found ?? '' }
  if (skipTrivia(document.text, 0) === document.text.length) {
    document.footprint.blank = found
    document.text = withObject(found)
  }
  serversIn(document)
  return document
}

/** The text to write, or null when the file was not there before us and nothing of others is in it. */
export function closeDocument(document: ServersDocument): string | null {
  const { blank } = document.footprint
  return blank !== undefined && document.text === withObject(blank) ? blank : document.text
}

interface Servers {
  root: Node
  /** The object that has the property. */
  parent: Node
  property?: Node
  servers?: Node
}

export function serversIn(document: ServersDocument): Servers {
  const { text, file, shape } = document
  if (document.read?.text !== text) document.read = { text, root: parseJsoncObject(text, file) }
  const { root } = document.read
  const property = findProperty(root, shape.serversKey)
  if (property === undefined) return { root, parent: root }
  const servers = valueOf(property)
  if (servers?.type !== 'object') {
    throw unreadable(
      text,
      servers?.offset ?? property.offset,
      file,
      `"${shape.serversKey}" must be an object in braces`,
    )
  }
  const inner = shape.innerKey === undefined ? undefined : findProperty(servers, shape.innerKey)
  const innerServers = inner && valueOf(inner)
  // In the older form, a server may have that name.
  if (innerServers?.type === 'object' && propertiesOf(innerServers).every((each) => valueOf(each)?.type === 'object'))
    return { root, parent: servers, ...(inner && { property: inner }), servers: innerServers }
  return { root, parent: root, property, servers }
}

export function addEntries(document: ServersDocument, entries: ReadonlyMap<string, PlainValue>): void {
  if (entries.size === 0) return
  const { root, servers } = serversIn(document)
  if (servers !== undefined) {
    const { edits, inside } = insertProperties(document.text, servers, entries)
    if (inside !== undefined) document.footprint.insideServers = inside
    return edit(document, edits)
  }
  const all = Object.fromEntries(entries)
  const { edits, inside } = insertProperties(document.text, root, new Map([[document.shape.serversKey, all]]))
  if (inside !== undefined) document.footprint.insideRoot = inside
  document.footprint.madeServers = true
  edit(document, edits)
}

/** Sets fields of an entry and leaves the others as the user or the client program made them. */
export function changeEntry(
  document: ServersDocument,
  key: string,
  url: string,
  fields: Readonly<Record<string, PlainValue>>,
): void {
  const found = findEntry(document, key, url)
  if (found === undefined) return
  // An edit moves what is behind it, but the entry stays the same one of its neighbours.
  const at = propertiesOf(found.servers).indexOf(found.property)
  const object = () => {
    const { servers } = serversIn(document)
    const property = servers && propertiesOf(servers)[at]
    return property && valueOf(property)
  }
  for (const [field, value] of Object.entries(fields)) setField(document, object(), field, value)
  // Some programs have a field of the address for each transport.
  for (const field of urlFieldsOf(document.shape)) {
    const entry = object()
    const stale = field in fields || entry === undefined ? undefined : findProperty(entry, field)
    if (entry && stale) edit(document, removeProperty(document.text, entry, stale, undefined))
  }
}

function setField(document: ServersDocument, object: Node | undefined, field: string, value: PlainValue): void {
  if (object === undefined) return
  const present = findProperty(object, field)
  const node = present && valueOf(present)
  const edits =
    node === undefined
      ? insertProperties(document.text, object, new Map([[field, value]])).edits
      : [{ from: node.offset, to: node.offset + node.length, text: JSON.stringify(value) }]
  edit(document, edits)
}

export function removeEntry(document: ServersDocument, key: string, url: string): void {
  const entry = findEntry(document, key, url)
  if (entry === undefined) return
  const { footprint, text } = document
  edit(document, removeProperty(text, entry.servers, entry.property, footprint.insideServers))
  if (footprint.madeServers !== true) return
  const { root, parent, property, servers } = serversIn(document)
  if (parent !== root || property === undefined || servers === undefined || servers.length !== '{}'.length) return
  edit(document, removeProperty(document.text, root, property, footprint.insideRoot))
}

function findEntry(document: ServersDocument, key: string, url: string): { servers: Node; property: Node } | undefined {
  const { servers } = serversIn(document)
  if (servers === undefined) return undefined
  const isIt = (entry: Node) => keyOf(entry) === key && entryUrl(document.shape, valueOf(entry)) === url
  const property = propertiesOf(servers).findLast(isIt)
  return property && { servers, property }
}

function edit(document: ServersDocument, edits: readonly TextEdit[]): void {
  document.text = applyTextEdits(document.text, edits)
}

function withObject(blank: string | null): string {
  if (blank === null || blank === '') return '{}\n'
  const eol = blank.includes('\r\n') ? '\r\n' : '\n'
  return `${blank}${blank.endsWith('\n') ? '' : eol}{}${eol}`
}
