import { isObject, RPC_ERROR, type JsonObject } from '../../messages/json-rpc.ts'
import { CACHEABLE, META, metaOf } from '../../messages/modern-era.ts'

/** Codes of earlier revisions that stateless clients must not see. */
const RESOURCE_NOT_FOUND = -32_002
const URL_ELICITATION_REQUIRED = -32_042

/** Translates a response of a server with sessions for a stateless client. */
export function toModern(method: string, body: JsonObject, serverInfo: unknown): JsonObject {
  const { error, result } = body
  if (isObject(error)) return fromError(body, error)
  if (!isObject(result)) return body
  const cache = CACHEABLE.has(method)
    ? { ttlMs: 0, cacheScope: 'private' } // Without a hint from the server, a response may be used once, by one client.
    : {}
  const meta = { ...metaOf(result), ...(isObject(serverInfo) && { [META.serverInfo]: serverInfo }) }
  return { ...body, result: { resultType: 'complete', ...cache, ...result, _meta: meta } }
}

function fromError(body: JsonObject, error: JsonObject): JsonObject {
  if (error['code'] === RESOURCE_NOT_FOUND) return { ...body, error: { ...error, code: RPC_ERROR.invalidParams } }
  const data = error['data']
  if (error['code'] !== URL_ELICITATION_REQUIRED || !isObject(data) || !Array.isArray(data['elicitations'])) return body
  // The client opens the address and then asks again, which is what a server of the earlier revision expects.
  const asked = data['elicitations'].filter(isObject).map((params, at) => {
    const { elicitationId: _id, ...rest } = params
    return [`elicitation-${at + 1}`, { method: 'elicitation/create', params: rest }] as const
  })
  const { error: _error, ...rest } = body
  return { ...rest, result: { resultType: 'input_required', inputRequests: Object.fromEntries(asked) } }
}

/**
 * `params` as a server with sessions knows them. `token` becomes the progress token: clients that share a session at
 * the server may have chosen the same one.
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
