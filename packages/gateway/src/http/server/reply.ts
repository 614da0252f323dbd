import type { HttpResponse } from './exchange.ts'
import { errorText, RPC_ERROR } from '../../messages/json-rpc.ts'
import { sizeOf } from '../../messages/parts.ts'
import { lookForUnread } from './unread-bytes.ts'

/** A refusal of the HTTP request itself, before any message in it was handled. */
export interface HttpRefusal {
  status: number
  message: string
  code?: number
  headers?: Readonly<Record<string, string>>
}

/** A complete answer by the gateway itself. */
export interface HttpAnswer {
  status: number
  type: string
  text: string
  headers?: Readonly<Record<string, string>>
}

export function sendText(
  response: HttpResponse,
  status: number,
  type: string,
  text: string | readonly Buffer[],
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return
  const isText = typeof text === 'string'
  const length = isText ? Buffer.byteLength(text) : sizeOf(text)
  response.writeHead(status, { 'content-type': type, 'content-length': length, ...headers })
  if (isText) response.end(text)
  else {
    // Held back until the end, so that everything goes in one write.
    response.cork()
    for (const part of text) response.write(part)
    response.end()
  }
  lookForUnread(response)
}

export function sendJson(
  response: HttpResponse,
  status: number,
  text: string | readonly Buffer[],
  headers: Readonly<Record<string, string>> = {},
): void {
  sendText(response, status, 'application/json', text, headers)
}

/** Refusals are JSON-RPC errors without an id, as the specification requires. */
export function sendRefusal(response: HttpResponse, refusal: HttpRefusal): void {
  sendJson(
    response,
    refusal.status,
    errorText(null, refusal.code ?? RPC_ERROR.server, refusal.message),
    refusal.headers,
  )
}

/** Sends what a request gets when it ends at the gateway. */
export function sendVerdict(response: HttpResponse, verdict: HttpRefusal | HttpAnswer): void {
  if ('text' in verdict) sendText(response, verdict.status, verdict.type, verdict.text, verdict.headers)
  else sendRefusal(response, verdict)
}

export function sendEmpty(
  response: HttpResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, headers)
  response.end()
}
