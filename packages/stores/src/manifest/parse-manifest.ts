import { CLIENT_TYPES } from '@toolhaven/contract/client-types'
import { type Manifest, manifest } from '@toolhaven/contract/manifest'
import { parseOutside } from '@toolhaven/contract/parse-outside'
import { closest } from '@toolhaven/core/closest'
import { invalid, isThvError } from '@toolhaven/core/errors'
import { isNestedDeeper, MOST_LEVELS } from '@toolhaven/core/json/nesting'
import {
  type Document,
  type YAMLError,
  LineCounter,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  parseAllDocuments,
} from 'yaml'
import * as z from 'zod'

/** Parses the file for `thv apply`. Errors call it `where`, and name every fault at once with its line. */
export function parseManifest(source: string, where: string): Manifest {
  const lines = new LineCounter()
  const documents = parseAllDocuments(source, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
    logLevel: 'error',
  })
  const [document, second] = [...documents]
  if (document === undefined) throw faulty(where, ['it is empty; begin with "format: 1"'])
  if (second !== undefined) throw faulty(where, ['it contains more than one document; put everything into one'])
  const at = (offset: number | undefined) => {
    const { line, col } = lines.linePos(offset ?? 0)
    return `line ${line}, column ${col}`
  }
  const broken = [...document.errors, ...document.warnings]
  // The parser recurses for each level, and reports a stack overflow as one of its faults.
  if (broken.some(({ message }) => /call stack size/.test(message))) throw tooDeep(where)
  if (broken.length > 0)
    throw faulty(
      where,
      broken
        .filter(isFirstOfLine(lines))
        .map(({ code, message, pos }) => `${at(pos[0])}: ${LAYOUT_FAULTS[code] ?? message}`),
    )
  const parsed = parseOutside(manifest, valueOf(document, where))
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.flatMap((issue) => faultsOf(document, issue))
  const sorted = faults.toSorted((a, b) => a.offset - b.offset)
  throw faulty(
    where,
    sorted.map(({ offset, text }) => `${at(offset)}: ${text}`),
  )
}

function valueOf(document: Document, where: string): unknown {
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 })
    if (isNestedDeeper(value)) throw tooDeep(where)
    return value
  } catch (error) {
    if (isThvError(error)) throw error
    if (error instanceof RangeError) throw tooDeep(where)
    throw faulty(where, ['it repeats itself by aliases far too often'])
  }
}

const DASHES = 'each entry of a list begins with "- ", and its fields are aligned below each other'

/** The YAML parser's layout errors in words for people who do not know YAML's terms. */
const LAYOUT_FAULTS: Readonly<Record<string, string>> = {
  BAD_INDENT:
    'this line is indented differently from the lines it belongs to; fields of one entry begin in the same column',
  TAB_AS_INDENT: 'it is indented with a tab; use spaces',
  UNEXPECTED_TOKEN: `this line does not fit the lines above it; ${DASHES}`,
  MISSING_CHAR: `this line does not fit the lines above it, or lacks a quotation mark, bracket or colon; ${DASHES}`,
}

/** One line out of place makes the parser complain several times, in words that explain nothing further. */
function isFirstOfLine(lines: LineCounter): (fault: YAMLError) => boolean {
  const seen = new Set<number>()
  return ({ pos }) => {
    const { line } = lines.linePos(pos[0])
    const isFirst = !seen.has(line)
    seen.add(line)
    return isFirst
  }
}

const tooDeep = (where: string) => faulty(where, [`maps and lists in it nest deeper than ${MOST_LEVELS} levels`])

interface Fault {
  offset: number
  text: string
}

function faultsOf(document: Document, issue: z.core.$ZodIssue): Fault[] {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      offset: offsetOf(document, [...path, key]),
      text: `${spelled([...path, key])}: unknown field${meantOf(path, key)}`,
    }))
  }
  if (path.length === 0)
    return [{ offset: 0, text: 'the file must consist of fields; begin with "format: 1", as "thv apply --help" shows' }]
  return [
    {
      offset: offsetOf(document, path),
      text: `${spelled(path)}: ${plainer(document.getIn(path, true), path, issue.message)}`,
    },
  ]
}

function plainer(value: unknown, path: readonly (string | number)[], message: string): string {
  if (message === 'must be a list' && isMap(value)) {
    const [first] = value.items
    const name = isPair(first) && isScalar(first.key) ? String(first.key.value) : 'NAME'
    const isNamed = path[0] === 'workloads' || path[0] === 'clients'
    return `${message}; begin each entry with a dash: "- ${isNamed && path.length === 1 ? `name: ${name}` : name}"`
  }
  if (message === 'must be an object' && isSeq(value)) return `${message}; write "NAME: value" without a dash`
  if (!message.startsWith('is not a known client') || !isScalar(value)) return message
  const meant = closest(String(value.value), CLIENT_TYPES)
  return meant === undefined ? message : `is not a known client; did you mean ${meant}?`
}

/** Names that "thv run" flags have in a file. */
const FIELD_OF_FLAG: Readonly<Record<string, string>> = {
  server: 'image',
  args: 'cmd_arguments',
  env: 'env_vars',
  volume: 'volumes',
  secret: 'secrets',
  memory: 'resources',
  cpus: 'resources',
}

function meantOf(path: readonly (string | number)[], key: string): string {
  const fields = fieldsAt(manifest, path)
  const word = closest(key, [...fields, ...Object.keys(FIELD_OF_FLAG)])
  const meant = word === undefined || fields.includes(word) ? word : FIELD_OF_FLAG[word]
  if (meant !== undefined && !fields.includes(meant)) return ''
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

/** The fields that the schema allows at this place. */
function fieldsAt(schema: unknown, path: readonly (string | number)[]): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return fieldsAt(schema.unwrap(), path)
  const [first, ...rest] = path
  if (schema instanceof z.ZodArray) return fieldsAt(schema.element, rest)
  if (!(schema instanceof z.ZodObject)) return []
  return first === undefined ? Object.keys(schema.shape) : fieldsAt(schema.shape[first], rest)
}

const spelled = (path: readonly (string | number)[]) =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .slice(path[0] === undefined ? 0 : 1)

/** The position of the key, or of its value, or of the nearest enclosing node that exists. */
function offsetOf(document: Document, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    const last = path[length - 1]
    if (isMap(parent)) {
      const pair = parent.items.find((item) => isPair(item) && isScalar(item.key) && String(item.key.value) === last)
      if (pair !== undefined && isNode(pair.key) && pair.key.range) return pair.key.range[0]
    }
    const node = document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}

function faulty(where: string, faults: readonly string[]) {
  const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`
  return invalid(`${where} has ${count}; nothing was changed:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
}
