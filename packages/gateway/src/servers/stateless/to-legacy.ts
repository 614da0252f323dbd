import { isObject, RPC_ERROR, type JsonObject } from '../../messages/json-rpc.ts'
import { CACHEABLE, META, metaOf, MODERN_VERSION } from '../../messages/modern-era.ts'
import type { Session } from '../../sessions/session.ts'

/** The level at which most servers with sessions log for a client that did not set one. */
const USUAL_LEVEL = 'info'

/** `params` of a client with a session, with what a stateless server needs each time. */
export function withOwnMeta(session: Session, params: JsonObject | undefined, logs: boolean): JsonObject {
  const { clientInfo, capabilities } = session.client
  const isNamed =
    isObject(clientInfo) && typeof clientInfo['name'] === 'string' && typeof clientInfo['version'] === 'string'
  const meta = {
    ...metaOf(params),
    [META.version]: MODERN_VERSION,
    ...(isNamed && { [META.clientInfo]: clientInfo }),
    [META.clientCapabilities]: toModernCapabilities(capabilities),
    ...(logs && { [META.logLevel]: session.logLevel ?? USUAL_LEVEL }),
  }
  return { ...params, _meta: meta }
}

function toModernCapabilities(capabilities: unknown): JsonObject {
  if (!isObject(capabilities)) return {}
  // Tasks are an extension now. What an older client says about them means something else.
  const { tasks: _tasks, roots, ...rest } = capabilities
  return { ...rest, ...(isObject(roots) && { roots: {} }) }
}

/** What the server can do, for clients with sessions. */
export function toLegacyCapabilities(capabilities: unknown): JsonObject {
  if (!isObject(capabilities)) return {}
  const { extensions, ...rest } = capabilities
  if (!isObject(extensions)) return rest
  const { 'io.modelcontextprotocol/tasks': _tasks, ...others } = extensions
  return Object.keys(others).length === 0 ? rest : { ...rest, extensions: others }
}

/** Translates a finished answer of a stateless server for a client with a session. */
export function toLegacy(method: string, body: JsonObject): JsonObject {
  const { result } = body
  if (!isObject(result)) return body
  const { resultType, _meta: _all, ...rest } = result
  if (resultType !== undefined && resultType !== 'complete') {
    const type = typeof resultType === 'string' ? resultType : 'unknown'
    const message = `The server answered with a result of type ${type}, which this client's revision of the protocol does not have.`
    return { jsonrpc: '2.0', error: { code: RPC_ERROR.server, message } }
  }
  const { [META.serverInfo]: _info, ...meta } = metaOf(result)
  const { ttlMs: _ttl, cacheScope: _scope, ...uncached } = rest
  const shown = CACHEABLE.has(method) ? uncached : rest
  return {
    ...body,
    result: { ...withKnownShapes(method, shown), ...(Object.keys(meta).length > 0 && { _meta: meta }) },
  }
}

/** Structured content may now be any JSON value. Before, it was an object, and some clients refuse anything else. */
function withKnownShapes(method: string, result: JsonObject): JsonObject {
  if (method === 'tools/call' && 'structuredContent' in result && !isObject(result['structuredContent'])) {
    const { structuredContent: _any, ...rest } = result
    return rest
  }
  return result
}

/** The same holds for the output schemas of tools. */
export function withKnownOutputs(body: JsonObject): JsonObject {
  const { result } = body
  if (!isObject(result) || !Array.isArray(result['tools'])) return body
  return { ...body, result: { ...result, tools: result['tools'].map(withKnownOutput) } }
}

function withKnownOutput(tool: unknown): unknown {
  if (!isObject(tool) || !('outputSchema' in tool)) return tool
  const { outputSchema, ...rest } = tool
  return isObject(outputSchema) && outputSchema['type'] === 'object' ? tool : rest
}
