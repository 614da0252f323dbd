import { invalid, isThvError } from '@toolhaven/core/errors'
import type { EntryFields, EntryShape } from './entries-document.ts'
import { urlFieldsOf } from './entry-form.ts'
import { unreadable } from './jsonc-text.ts'
import type { Footprint } from './owned-entries.ts'
import {
  beginsItsLine,
  blockLines,
  flowText,
  splice,
  withField,
  withItems,
  withLines,
  withoutItem,
} from './yaml-edit.ts'
import { hasAlias, isVacant, parseYaml, stringIn, type YamlItem, type YamlNode } from './yaml-tree.ts'

/** One client file as text, what was read in it, and how it looked before us. */
export interface OpenYaml {
  readonly file: string
  readonly shape: EntryShape
  readonly footprint: Footprint
  text: string
  place: Place
}

interface Place {
  /** Left out: the file holds blanks and comments only. */
  root?: YamlNode
  item?: YamlItem
  /** Left out: there is no value yet. */
  servers?: YamlNode
}

/** Where the entries are. Refuses a file in which there is no place for them. */
export function placeIn(text: string, file: string, shape: EntryShape): Place {
  const root = parseYaml(text, file)
  if (root === undefined) return {}
  if (root.kind !== 'map') throw unreadable(text, root.from, file, 'keys with values are needed')
  const item = root.items.findLast(({ key }) => key === shape.serversKey)
  if (item === undefined) return { root }
  const { value } = item
  if (value.kind === 'scalar' && value.value === null) return { root, item }
  if (value.kind === kindOf(shape)) return { root, item, servers: value }
  const wanted = shape.isList === true ? 'a list' : 'keys with values'
  throw unreadable(text, value.from, file, `"${shape.serversKey}" must hold ${wanted}`)
}

export interface YamlEntry {
  key: string
  url: string | undefined
  item: YamlItem
  isEditable: boolean
}

export function entriesIn({
  text,
  place: { servers },
  shape,
}: Pick<OpenYaml, 'text' | 'place' | 'shape'>): YamlEntry[] {
  return (servers?.items ?? []).flatMap((item) => {
    const key = shape.isList === true ? stringIn(item.value, shape.nameField ?? 'name') : item.key
    if (key === undefined) return []
    const url = urlFieldsOf(shape)
      .map((field) => stringIn(item.value, field))
      .find((each) => each !== undefined)
    const isPlain = item.value.kind === 'map' && item.value.isPlain && item.keyNode?.isPlain !== false
    return [{ key, url, item, isEditable: isPlain && (servers?.isFlow === true || beginsItsLine(text, item)) }]
  })
}

export function addEntries(document: OpenYaml, entries: ReadonlyMap<string, EntryFields>): void {
  if (entries.size === 0) return
  const { text, shape, footprint, place } = document
  const { root, item, servers } = place
  if (servers !== undefined) {
    // What is added to servers that an alias repeats would turn up there too.
    if (root && servers.anchor !== undefined && hasAlias(root, servers.anchor)) throw cannotChange(document)
    return edit(document, withItems(text, servers, entries))
  }
  if (item !== undefined) {
    if (!item.value.isPlain) throw cannotChange(document)
    footprint.insideServers = text.slice(item.value.from, item.value.to)
    return edit(document, withValue(text, item, inBraces(shape, entries)))
  }
  // Readers of the file would take our servers in place of those that come with a merge.
  if (root?.items.some(({ key }) => key === '<<')) throw cannotChange(document)
  footprint.madeServers = true
  const made = new Map([[shape.serversKey, shape.isList === true ? [...entries.values()] : entries]])
  if (root !== undefined) return edit(document, withItems(text, root, made))
  edit(document, withLines(text, text.length, blockLines(text, 'map', '', made)))
}

export function changeEntry(document: OpenYaml, key: string, url: string, fields: EntryFields): void {
  const entry = findEntry(document, key, url)
  if (entry === undefined) return
  // An edit moves what is behind it, but the entry stays the same one of its neighbours.
  const at = document.place.servers?.items.indexOf(entry.item) ?? -1
  for (const [field, value] of Object.entries(fields)) {
    const item = document.place.servers?.items[at]
    if (item) edit(document, withField(document.text, item.value, field, value))
  }
}

export function removeEntry(document: OpenYaml, key: string, url: string): void {
  const { text, file, shape, footprint, place } = document
  const { root, item, servers } = place
  const entry = findEntry(document, key, url)
  if (entry === undefined || servers === undefined || item === undefined || root === undefined) return
  if (servers.items.length > 1) return edit(document, withoutItem(text, servers, entry.item))
  if (footprint.madeServers === true) return edit(document, withoutItem(text, root, item))
  if (footprint.insideServers !== undefined) return edit(document, withValue(text, item, footprint.insideServers))
  const rest = withoutItem(text, servers, entry.item)
  const left = placeIn(rest, file, shape)
  // In lines, a list or map cannot be empty.
  edit(
    document,
    left.item && left.servers === undefined ? withValue(rest, left.item, inBraces(shape, new Map())) : rest,
  )
}

const findEntry = (document: OpenYaml, key: string, url: string) =>
  entriesIn(document).findLast((entry) => entry.isEditable && entry.key === key && entry.url === url)

/** What cannot be read afterwards is not written. */
function edit(document: OpenYaml, text: string): void {
  try {
    document.place = placeIn(text, document.file, document.shape)
  } catch (error) {
    throw isThvError(error) ? cannotChange(document, error) : error
  }
  document.text = text
}

/** Puts a value behind its key, in place of the one that is there. */
function withValue(text: string, { value }: YamlItem, by: string): string {
  const behindKey = text.slice(0, value.from).trimEnd().length
  if (isVacant(value)) return splice(text, behindKey, 0, ` ${by}`)
  const from = by === '' ? behindKey : value.from
  return splice(text, from, value.to - from, by)
}

const kindOf = ({ isList }: Pick<EntryShape, 'isList'>) => (isList === true ? 'list' : 'map')

function inBraces(shape: EntryShape, entries: ReadonlyMap<string, unknown>): string {
  const text = flowText(kindOf(shape), entries)
  return shape.isList === true ? `[${text}]` : `{${text}}`
}

const cannotChange = ({ file, shape }: OpenYaml, cause?: unknown) =>
  invalid(
    `${file} was left as it is, because Toolhaven cannot change "${shape.serversKey}" as it is written there; write it in lines of its own, without anchors, and try again`,
    cause,
  )
