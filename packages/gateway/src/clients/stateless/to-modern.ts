import { isObject, RPC_ERROR, type JsonObject } from '../../messages/json-rpc.ts'
import { CACHEABLE, META, metaOf } from '../../messages/modern-era.ts'

/** Codes of earlier revisions that this one must not show. */
const RESOURCE_NOT_FOUND = -32_002
const URL_ELICITATION_REQUIRED = -32_042

/** A response of a server with sessions, as a client of the era without them must see it. */
export function toModern(method: string, body: JsonObject, serverInfo: unknown): JsonObject {
  const { error, result } = body
  if (isObject(error)) return fromError(body, error)
  if (!isObject(result)) return body
  const cache = CACHEABLE.has(method)
    ? { ttlMs: 0, cacheScope: 'private' } // what the server says nothing about is good once, and for one client
    : {}
  const meta = { ...metaOf(result), ...(isObject(serverInfo) && { [META.serverInfo]: serverInfo }) }
  return { ...body, result: { resultType: 'complete', ...cache, ...result, _meta: meta } }
}

function fromError(body: JsonObject, error: JsonObject): JsonObject {
  if (error['code'] === RESOURCE_NOT_FOUND) return { ...body, error: { ...error, code: RPC_ERROR.invalidParams } }
  const data = error['data']
  if (error['code'] !== URL_ELICITATION_REQUIRED || !isObject(data) || !Array.isArray(data['elicitations'])) return body
  // The client opens the address, then asks again: the server of the earlier revision expects just that.
  const asked = data['elicitations'].filter(isObject).map((params, at) => {
    const { elicitationId: _id, ...rest } = params
    return [`elicitation-${at + 1}`, { method: 'elicitation/create', params: rest }] as const
  })
  const { error: _error, ...rest } = body
  return { ...rest, result: { resultType: 'input_required', inputRequests: Object.fromEntries(asked) } }
}

/**
 * `params` as a server with sessions knows them. Its progress token is `token`: clients that share a session at the server
 * may have chosen the same one.
 */
export function toLegacyParams(params: JsonObject | undefined, token: string): JsonObject | undefined {
  if (params === undefined) return undefined
  const { _meta: _all, inputResponses: _responses, requestState: _state, ...rest } = params
  const {
    [META.version]: _v,
    [META.clientInfo]: _i,
    [META.clientCapabilities]: _c,
    [META.logLevel]: _l,
    ...meta
  } = metaOf(params)
  if ('progressToken' in meta) meta['progressToken'] = token
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta }
}
