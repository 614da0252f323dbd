import type { IncomingHttpHeaders } from 'node:http'
import { unavailable } from '@toolhaven/core/errors'
import { decodeHeader, encodeHeader } from '../../http/header-text.ts'
import { HEADER_NAME } from '../../http/head-grammar.ts'
import { isObject, RPC_ERROR, type JsonObject } from '../../messages/json-rpc.ts'
import { mismatch, type Fault } from './check-request.ts'

/** A parameter of a tool that clients repeat in a header. */
interface Mirrored {
  header: string
  path: readonly string[]
}

const PRIMITIVE: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])
const DEEPEST = 32

/** The parameters that `x-mcp-header` marks, or a text that says why its use in this schema is invalid. */
function mirroredIn(schema: unknown): readonly Mirrored[] | string {
  const found: Mirrored[] = []
  const fault = collect(schema, [], found) ?? misplacedIn(schema)
  if (fault !== undefined) return fault
  const names = new Set(found.map(({ header }) => header))
  return names.size === found.length ? found : 'two parameters have the same x-mcp-header'
}

/** A parameter is only in one certain place when a chain of `properties` leads to it. */
function collect(schema: unknown, path: readonly string[], found: Mirrored[]): string | undefined {
  if (!isObject(schema) || path.length > DEEPEST) return undefined
  const { properties } = schema
  if (!isObject(properties)) return undefined
  for (const [name, property] of Object.entries(properties)) {
    if (!isObject(property)) continue
    const at = [...path, name]
    const header = property['x-mcp-header']
    if (header !== undefined) {
      if (typeof header !== 'string' || !HEADER_NAME.test(header))
        return `x-mcp-header of ${at.join('.')} is not a header name`
      if (!PRIMITIVE.has(property['type']))
        return `x-mcp-header of ${at.join('.')} is not on a string, integer or boolean`
      found.push({ header: `mcp-param-${header.toLowerCase()}`, path: at })
    }
    const fault = collect(property, at, found)
    if (fault !== undefined) return fault
  }
  return undefined
}

function misplacedIn(schema: unknown): string | undefined {
  return hasMark(schema, 'root', 0) ? 'x-mcp-header is in a place where it is unclear which value it marks' : undefined
}

/** Whether a mark is anywhere but on a property that only `properties` lead to. */
function hasMark(value: unknown, place: 'root' | 'properties' | 'elsewhere', depth: number): boolean {
  if (depth > DEEPEST * 2) return false
  if (Array.isArray(value)) return value.some((item) => hasMark(item, 'elsewhere', depth + 1))
  if (!isObject(value)) return false
  if (place !== 'properties' && 'x-mcp-header' in value) return true
  return Object.entries(value).some(([key, inner]) => {
    if (key === 'properties' && place !== 'elsewhere' && isObject(inner))
      return Object.values(inner).some((property) => hasMark(property, 'properties', depth + 1))
    return key !== 'x-mcp-header' && hasMark(inner, 'elsewhere', depth + 1)
  })
}

/** Every marked value in the body must be the same in its header, and the other way round. */
export function checkMirrored(
  mirrored: readonly Mirrored[],
  headers: IncomingHttpHeaders,
  args: unknown,
): Fault | undefined {
  for (const { header, path } of mirrored) {
    const value = valueAt(args, path)
    const raw = headers[header]
    const said = typeof raw === 'string' ? decodeHeader(raw) : undefined
    if (value === undefined || value === null) {
      if (raw !== undefined) return mismatch(`${header} is set, but ${path.join('.')} is missing`)
    } else if (said === undefined || !isSame(said, value)) {
      return mismatch(`${header} and ${path.join('.')} differ`)
    }
  }
  return undefined
}

/** The headers that repeat the marked values of these arguments. */
export function mirroredHeaders(mirrored: readonly Mirrored[], args: unknown): Record<string, string> {
  return Object.fromEntries(
    mirrored.flatMap(({ header, path }) => {
      const value = valueAt(args, path)
      // Marks are only on simple values. The server reports anything else.
      const isText = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      return isText ? [[header, encodeHeader(String(value))]] : []
    }),
  )
}

function isSame(said: string, value: unknown): boolean {
  return typeof value === 'number' ? said.trim() !== '' && Number(said) === value : said === String(value)
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    args,
  )
}

/** The tools of one server that mark parameters, by name. */
export type MirroredTools = ReadonlyMap<string, readonly Mirrored[]>

function mirroredTools(tools: readonly unknown[]): MirroredTools {
  return new Map(
    tools.filter(isObject).flatMap((tool) => {
      const mirrored = mirroredIn(tool['inputSchema'])
      const { name } = tool
      return typeof name === 'string' && typeof mirrored !== 'string' && mirrored.length > 0 ? [[name, mirrored]] : []
    }),
  )
}

/** Stops at a server whose list has no end. */
const MOST_PAGES = 100

/** Reads all pages of a server's list. `list` returns the response to one `tools/list`. */
export async function readMirrored(list: (params: JsonObject) => Promise<JsonObject>): Promise<MirroredTools> {
  const tools: unknown[] = []
  let cursor: unknown
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { result, error } = await list(cursor === undefined ? {} : { cursor })
    if (!isObject(result)) {
      // A server without tools has no marks. Any other failure says nothing about its tools.
      if (isObject(error) && error['code'] === RPC_ERROR.methodNotFound) break
      throw unavailable('The tools of this server could not be read. Try again.')
    }
    if (Array.isArray(result['tools'])) tools.push(...result['tools'])
    cursor = result['nextCursor']
    if (typeof cursor !== 'string') break
  }
  return mirroredTools(tools)
}

/** A tool with invalid marks cannot be called. The others can. */
export function withoutInvalidTools(result: JsonObject, onDropped: (name: string, why: string) => void): JsonObject {
  const { tools } = result
  if (!Array.isArray(tools)) return result
  const kept = tools.filter((tool: unknown) => {
    const mirrored = isObject(tool) ? mirroredIn(tool['inputSchema']) : []
    if (typeof mirrored !== 'string') return true
    const name = isObject(tool) ? tool['name'] : undefined
    onDropped(typeof name === 'string' ? name : '', mirrored)
    return false
  })
  return kept.length === tools.length ? result : { ...result, tools: kept }
}
