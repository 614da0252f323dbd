import { invalid } from '@toolhaven/core/errors'
import {
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  parseAllDocuments,
  type YAMLParseError,
} from 'yaml'
import { unreadable } from './jsonc-text.ts'

/** A node of a YAML file with its place in the text. Aliases stay aliases: nothing is multiplied. */
export interface YamlNode {
  kind: 'map' | 'list' | 'scalar' | 'alias'
  /** In braces or brackets. */
  isFlow: boolean
  from: number
  /** Behind its content. Comments and blank lines after it are not part of it. */
  to: number
  /** Of a map or list. */
  items: readonly YamlItem[]
  /** Of a scalar, or the name that an alias stands for. */
  value: unknown
  anchor: string | undefined
  tag: string | undefined
  /** Neither it nor anything in it has an anchor or a tag, or is an alias. */
  isPlain: boolean
}

export interface YamlItem {
  /** Left out in a list, and where the key is not a scalar. */
  key: string | undefined
  /** Left out in a list. */
  keyNode: YamlNode | undefined
  value: YamlNode
  from: number
  to: number
}

/** A client's settings have a few kilobytes. For a damaged megabyte the parser takes half a minute, and nothing else runs then. */
const MAX_CHARACTERS = 128 * 1024

/** The parser's messages quote the file, which may contain keys. */
const FAULTS: Partial<Record<YAMLParseError['code'], string>> = {
  TAB_AS_INDENT: 'a tab stands where blanks should',
  BAD_INDENT: 'the indentation does not fit what is around it',
  MISSING_CHAR: 'a quotation mark, bracket, colon or comma is missing',
  UNEXPECTED_TOKEN: 'something stands there that does not belong there',
  BAD_DQ_ESCAPE: 'a backslash in quotation marks begins no known sequence',
  BAD_SCALAR_START: 'a value begins with a character that needs quotation marks around the value',
  BLOCK_AS_IMPLICIT_KEY: 'a second key stands in the line of the first',
  MULTILINE_IMPLICIT_KEY: 'a key goes over several lines',
}

const inWords = (code: YAMLParseError['code']) => FAULTS[code] ?? 'it is not YAML'

/** The only document in the text. Undefined if it holds only blanks and comments. */
export function parseYaml(text: string, file: string): YamlNode | undefined {
  if (text.length > MAX_CHARACTERS)
    throw invalid(`${file} is larger than ${MAX_CHARACTERS} characters and was left as it is`)
  // A check for duplicate keys takes quadratic time, and a file with duplicates can be edited.
  const options = { prettyErrors: false, uniqueKeys: false, resolveKnownTags: false } as const
  const [document, second] = [...parseAllDocuments(text, options)]
  const [error] = [...(document?.errors ?? []), ...(second?.errors ?? [])]
  if (error !== undefined) throw unreadable(text, error.pos[0], file, inWords(error.code))
  if (second !== undefined) throw unreadable(text, second.range[0], file, 'a second document begins there')
  const contents = document?.contents
  if (!isNode(contents)) return undefined
  const root = nodeOf(contents)
  return isVacant(root) ? undefined : root
}

/** Nothing is written there. */
export const isVacant = ({ kind, value, isPlain, from, to }: YamlNode) =>
  kind === 'scalar' && value === null && isPlain && from === to

function nodeOf(node: Node): YamlNode {
  const [from = 0, end = from] = node.range ?? []
  const anchor = 'anchor' in node ? node.anchor : undefined
  const { tag } = node
  const own = { from, to: end, anchor, tag, isFlow: false, items: [], value: undefined }
  const isBare = anchor === undefined && tag === undefined
  if (isAlias(node)) return { ...own, kind: 'alias', value: node.source, isPlain: false }
  if (isScalar(node)) return { ...own, kind: 'scalar', value: node.value, isPlain: isBare }
  const items = isMap(node) || isSeq(node) ? node.items.map((item) => itemOf(item, end)) : []
  const isFlow = (isMap(node) || isSeq(node)) && node.flow === true
  return {
    ...own,
    ...{ kind: isMap(node) ? 'map' : 'list', isFlow, items },
    to: isFlow ? end : (items.at(-1)?.to ?? end),
    isPlain: isBare && items.every(({ keyNode, value }) => keyNode?.isPlain !== false && value.isPlain),
  }
}

function itemOf(item: unknown, end: number): YamlItem {
  if (!isPair(item)) {
    const value = isNode(item) ? nodeOf(item) : nothing(end)
    return { key: undefined, keyNode: undefined, value, from: value.from, to: value.to }
  }
  const keyNode = isNode(item.key) ? nodeOf(item.key) : nothing(end)
  const value = isNode(item.value) ? nodeOf(item.value) : nothing(keyNode.to)
  const key = keyNode.kind === 'scalar' ? String(keyNode.value) : undefined
  return { key, keyNode, value, from: keyNode.from, to: Math.max(keyNode.to, value.to) }
}

const nothing = (at: number): YamlNode => ({
  ...{ kind: 'scalar', isFlow: false, from: at, to: at, items: [], value: null },
  ...{ anchor: undefined, tag: undefined, isPlain: true },
})

/** If a key appears twice, the last one counts. */
export const findItem = (node: YamlNode, key: string): YamlItem | undefined =>
  node.kind === 'map' ? node.items.findLast((item) => item.key === key) : undefined

export function stringIn(node: YamlNode, key: string): string | undefined {
  const value = findItem(node, key)?.value
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined
}

/** As plain data; aliases are left out. */
export function valueOf(node: YamlNode): unknown {
  if (node.kind === 'list') return node.items.map(({ value }) => valueOf(value))
  if (node.kind === 'map') return Object.fromEntries(node.items.map(({ key, value }) => [key ?? '', valueOf(value)]))
  return node.kind === 'scalar' ? node.value : undefined
}

/** All that is in the node, as data to compare; `isLeftOut` says which items do not count. */
export function contentOf(node: YamlNode, isLeftOut: (item: YamlItem) => boolean): unknown {
  const { kind, anchor, tag, items, value } = node
  if (kind === 'scalar' || kind === 'alias') return [kind, anchor, tag, typeof value, String(value)]
  const counted = items.filter((item) => !isLeftOut(item))
  return [
    ...[kind, anchor, tag],
    counted.map((item) => [item.keyNode && contentOf(item.keyNode, isLeftOut), contentOf(item.value, isLeftOut)]),
  ]
}

export function hasAlias(node: YamlNode, name: string): boolean {
  if (node.kind === 'alias') return node.value === name
  return node.items.some(({ keyNode, value }) => (keyNode && hasAlias(keyNode, name)) || hasAlias(value, name))
}
