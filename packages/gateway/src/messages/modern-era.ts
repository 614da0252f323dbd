import { isObject, type JsonObject } from './json-rpc.ts'

/** The first revision without sessions: each request says by itself who speaks, and which revision. */
export const MODERN_VERSION = '2026-07-28'

/** Keys of `_meta` that the revision reserves. */
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const

export const MODERN_ERROR = {
  headerMismatch: -32_020,
  missingCapability: -32_021,
  unsupportedVersion: -32_022,
} as const

/** Lists, and what is read: a client may keep them for a while. */
export const CACHEABLE: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
])

/** Requests whose `Mcp-Name` header must be there, and where its value stands in the body. */
export const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
}

export function metaOf(params: JsonObject | undefined): JsonObject {
  const meta = params?.['_meta']
  return isObject(meta) ? meta : {}
}
