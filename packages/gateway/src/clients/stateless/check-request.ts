import type { IncomingHttpHeaders } from 'node:http'
import { decodeHeader } from '../../http/header-text.ts'
import { isObject, RPC_ERROR, type JsonObject, type RpcRequest } from '../../messages/json-rpc.ts'
import { META, metaOf, MODERN_ERROR, MODERN_VERSION, NAMED } from '../../messages/modern-era.ts'
import { PROTOCOL_VERSIONS } from '../../messages/protocol-versions.ts'
import type { HeldRoom } from '../../messages/weight.ts'
import type { Pipeline } from '../../policy/pipeline.ts'
import { KnownNames } from '../../messages/alike.ts'

/** What a stateless request says about itself. */
export interface ModernRequest {
  request: RpcRequest
  capabilities: JsonObject
  clientInfo: JsonObject | undefined
  /** Undefined when the client wants no log messages with this call. */
  logLevel: string | undefined
}

const META_KEYS = new KnownNames(Object.values(META))

/** A request that may wait before it is dispatched. Until then it reserves this memory. */
export interface WaitingRequest extends ModernRequest {
  room: HeldRoom
  /** The rules that admitted it: others may be in force once it has waited. */
  admittedBy: Pipeline
}

/** A protocol error and the HTTP status it goes with. */
export interface Fault {
  status: number
  code: number
  message: string
  data?: JsonObject
}

/** Headers and body must agree: proxies decide by the headers, the server by the body. */
export function checkRequest(headers: IncomingHttpHeaders, request: RpcRequest): ModernRequest | Fault {
  const meta = metaOf(request.params)
  return checkVersion(headers, meta) ?? checkNames(headers, request) ?? readMeta(request, meta)
}

function checkVersion(headers: IncomingHttpHeaders, meta: JsonObject): Fault | undefined {
  const said = headers['mcp-protocol-version']
  const version = meta[META.version]
  if (version !== undefined && typeof version !== 'string') return malformed(`${META.version} must be a string`)
  if (said === undefined) return mismatch('the MCP-Protocol-Version header is missing')
  if (version !== undefined && said !== version)
    return mismatch('the MCP-Protocol-Version header and the version in _meta differ')
  if (said === MODERN_VERSION) return undefined
  return {
    status: 400,
    code: MODERN_ERROR.unsupportedVersion,
    message: 'Unsupported protocol version',
    data: { supported: [MODERN_VERSION, ...PROTOCOL_VERSIONS.toReversed()], requested: said },
  }
}

function checkNames(headers: IncomingHttpHeaders, { method, params }: RpcRequest): Fault | undefined {
  const saidMethod = headers['mcp-method']
  if (saidMethod === undefined) return mismatch('the Mcp-Method header is missing')
  if (saidMethod !== method) return mismatch('the Mcp-Method header and the method in the body differ')
  const field = Object.hasOwn(NAMED, method) ? NAMED[method] : undefined
  if (field === undefined) return undefined
  const saidName = headers['mcp-name']
  if (typeof saidName !== 'string') return mismatch('the Mcp-Name header is missing')
  const name = decodeHeader(saidName)
  if (name === undefined) return mismatch('the Mcp-Name header is not valid Base64')
  return name === params?.[field] ? undefined : mismatch(`the Mcp-Name header and ${field} in the body differ`)
}

function readMeta(request: RpcRequest, meta: JsonObject): ModernRequest | Fault {
  const capabilities = meta[META.clientCapabilities]
  if (meta[META.version] === undefined) return malformed(`_meta lacks ${META.version}`)
  if (!isObject(capabilities)) return malformed(`_meta lacks ${META.clientCapabilities}`)
  const twin = META_KEYS.twinIn(meta)
  if (twin !== undefined)
    return malformed(`the key ${twin} in _meta could be taken for another, because some servers ignore case`)
  const clientInfo = meta[META.clientInfo]
  const logLevel = meta[META.logLevel]
  return {
    request,
    capabilities,
    clientInfo: isObject(clientInfo) ? clientInfo : undefined,
    logLevel: typeof logLevel === 'string' ? logLevel : undefined,
  }
}

export function mismatch(what: string): Fault {
  return { status: 400, code: MODERN_ERROR.headerMismatch, message: `Header mismatch: ${what}` }
}

function malformed(what: string): Fault {
  return { status: 400, code: RPC_ERROR.invalidParams, message: `Invalid params: ${what}` }
}
