import type { ServerResponse } from 'node:http'
import { sendJson } from '../../http/reply.ts'
import { RPC_ERROR, type RequestId } from '../../json-rpc.ts'
import type { Fault } from './check-request.ts'

export const FULL: Fault = {
  status: 503,
  code: RPC_ERROR.server,
  message: 'This server has too many clients; try again later.',
}

export const UNKNOWN_STATE: Fault = {
  status: 200,
  code: RPC_ERROR.invalidParams,
  message: 'Invalid params: requestState is unknown, too old, or of another request; send the request without it.',
}

export function notFound(method: string): Fault {
  return { status: 404, code: RPC_ERROR.methodNotFound, message: `Method not found: ${method}` }
}

export function sendFault(response: ServerResponse, id: RequestId, { status, code, message, data }: Fault): void {
  const error = { code, message, ...(data !== undefined && { data }) }
  sendJson(response, status, JSON.stringify({ jsonrpc: '2.0', id, error }))
}
