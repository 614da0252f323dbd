import type { Node } from 'jsonc-parser'
import type { EntriesDocument, EntryShape } from './entries-document.ts'
import { entryUrl, isExactly } from './entry-form.ts'
import { endOf, keyOf, propertiesOf, valueOf } from './jsonc-text.ts'
import type { Footprint } from './owned-entries.ts'
import {
  addEntries,
  changeEntry,
  closeDocument,
  openDocument,
  removeEntry,
  type ServersDocument,
  serversIn,
} from './servers-document.ts'

export function openJsoncEntries(
  file: string,
  found: string | null,
  before: Footprint,
  shape: EntryShape,
): EntriesDocument {
  const document = openDocument(file, found, before, shape)
  return {
    footprint: document.footprint,
    list: () =>
      entriesOf(document).map((entry) => ({
        key: keyOf(entry),
        url: entryUrl(shape, valueOf(entry)),
        isEditable: true,
        isExactly: (fields) => isExactly(fields, valueOf(entry)),
      })),
    add: (entries) => addEntries(document, entries),
    change: (key, url, fields) => changeEntry(document, key, url, fields),
    remove: (key, url) => removeEntry(document, key, url),
    foreignPart: (isOurs) => foreignPart(document, isOurs),
    close: () => closeDocument(document),
  }
}

function entriesOf(document: ServersDocument): readonly Node[] {
  const { servers } = serversIn(document)
  return servers === undefined ? [] : propertiesOf(servers)
}

function foreignPart(document: ServersDocument, isOurs: (key: string, url: string | undefined) => boolean): string {
  const { root, parent, servers } = serversIn(document)
  const isOurEntry = (entry: Node) => isOurs(keyOf(entry), entryUrl(document.shape, valueOf(entry)))
  const isVoid = servers !== undefined && propertiesOf(servers).every(isOurEntry)
  // What is not on the way to our entries is never edited, so its text is enough.
  const partOf = (node: Node | undefined): unknown => {
    if (node === undefined) return null
    if (node !== root && node !== parent && node !== servers) return document.text.slice(node.offset, endOf(node))
    const members = propertiesOf(node).filter((member) => node !== servers || !isOurEntry(member))
    return members
      .filter((member) => !(isVoid && valueOf(member) === servers))
      .map((member) => [keyOf(member), partOf(valueOf(member))])
  }
  return JSON.stringify(partOf(root))
}
