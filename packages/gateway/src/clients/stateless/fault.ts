import { endToEndHeaders } from '../../http/server/end-to-end-headers.ts'
import type { HttpRequest, HttpResponse } from '../../http/server/exchange.ts'
import { sendJson } from '../../http/server/reply.ts'
import { RPC_ERROR, type RequestId, type RpcRequest } from '../../messages/json-rpc.ts'
import { MODERN_ERROR, MODERN_VERSION } from '../../messages/modern-era.ts'
import { PROTOCOL_VERSIONS } from '../../messages/protocol-versions.ts'
import type { FrontContext } from '../front-context.ts'
import type { Fault } from './check-request.ts'

export const FULL: Fault = {
  status: 503,
  code: RPC_ERROR.server,
  message: 'This server has too many clients. Try again later.',
}

/** A client that also knows an earlier revision continues with that one on its own. */
export const NEEDS_SESSION: Fault = {
  status: 400,
  code: MODERN_ERROR.unsupportedVersion,
  message: `Unsupported protocol version: each client session has a server of its own here, and revision ${MODERN_VERSION} has no sessions. Use an earlier revision, or a workload with session_mode shared.`,
  data: { supported: PROTOCOL_VERSIONS.toReversed(), requested: MODERN_VERSION },
}

export const UNKNOWN_STATE: Fault = {
  status: 200,
  code: RPC_ERROR.invalidParams,
  message: 'Invalid params: requestState is unknown, too old, or from another request. Send the request without it.',
}

/** Null as well: a request that continues with nothing is a new one, and its tool would run a second time. */
export const STATE_IS_NO_TEXT: Fault = {
  status: 200,
  code: RPC_ERROR.invalidParams,
  message:
    'Invalid params: requestState must be the string that came with the answer to this request. Leave it out to start a new request.',
}

/** For what is refused before it is dispatched: the pipeline sees it like any other refusal. */
export function refuse(
  { pipeline }: FrontContext,
  request: HttpRequest,
  response: HttpResponse,
  message: RpcRequest,
  { fault, by }: { fault: Fault; by?: string },
): void {
  const { id } = message
  const { code, message: why } = fault
  const headers = () => endToEndHeaders(request.headers)
  const watched = pipeline.watch(message, { session: undefined, from: request, headers, id })
  watched?.onEnd({ jsonrpc: '2.0', id, error: { code, message: why } }, by)
  sendFault(response, id, fault)
}

export function notFound(method: string): Fault {
  return { status: 404, code: RPC_ERROR.methodNotFound, message: `Method not found: ${method}` }
}

export function sendFault(response: HttpResponse, id: RequestId, { status, code, message, data }: Fault): void {
  const error = { code, message, ...(data !== undefined && { data }) }
  sendJson(response, status, JSON.stringify({ jsonrpc: '2.0', id, error }))
}
