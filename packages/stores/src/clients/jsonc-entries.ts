import type { Node } from 'jsonc-parser'
import type { EntriesDocument, EntryShape } from './entries-document.ts'
import { entryUrl, isExactly } from './entry-form.ts'
import { keyOf, propertiesOf, valueOf } from './jsonc-text.ts'
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
  const { root, servers } = serversIn(document)
  const isOurEntry = (entry: Node) => isOurs(keyOf(entry), entryUrl(document.shape, valueOf(entry)))
  const data = (node: Node | undefined): unknown => {
    if (node?.type === 'array') return propertiesOf(node).map(data)
    if (node?.type !== 'object') return { [node?.type ?? 'nothing']: String(node?.value) }
    const members = propertiesOf(node).filter((member) => node !== servers || !isOurEntry(member))
    return {
      members: members
        .filter((member) => !isVoid(valueOf(member)))
        .map((member) => [keyOf(member), data(valueOf(member))]),
    }
  }
  const isVoid = (node: Node | undefined) =>
    node !== undefined && node === servers && propertiesOf(node).every(isOurEntry)
  return JSON.stringify(data(root))
}
