import type { TestGateway } from './test-gateway.ts'

const VERSION = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** What a client without a session sends: the headers and the body. */
export function modernRequest(method: string, params: Record<string, unknown> = {}, meta: object = {}) {
  const { name } = params
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': VERSION,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ...META, ...meta } } })
  return { headers, body }
}

export function postModern(
  { origin }: TestGateway,
  { headers, body }: ReturnType<typeof modernRequest>,
  more: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${origin}/mcp`, { method: 'POST', headers: { ...headers, ...more }, body })
}
