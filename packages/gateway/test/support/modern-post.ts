import type { TestGateway } from './gateway.ts'

type Json = { [key: string]: unknown }

export const MODERN_VERSION = '2026-07-28'
export const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Differences from the usual request. A header or a part of `meta` that is undefined is not sent. */
export interface ModernChange {
  id?: string | number
  meta?: Json
  headers?: Record<string, string | undefined>
  signal?: AbortSignal | undefined
}

/** What a stateless client sends: the headers and the body. */
export function modernRequest(method: string, params: Json = {}, { id = 1, meta, headers }: ModernChange = {}) {
  const name = params['name'] ?? params['uri']
  const all: Record<string, string | undefined> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MODERN_VERSION,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
    ...headers,
  }
  const sent = Object.entries(all).flatMap<[string, string]>(([key, value]) =>
    value === undefined ? [] : [[key, value]],
  )
  const said = { _meta: { ...MODERN_META, ...meta }, ...params }
  return {
    headers: Object.fromEntries(sent),
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: said }),
  }
}

export function postModern(
  { origin }: TestGateway,
  method: string,
  params: Json = {},
  change: ModernChange = {},
): Promise<Response> {
  const request = modernRequest(method, params, change)
  return fetch(`${origin}/mcp`, { method: 'POST', ...request, signal: change.signal ?? null })
}
