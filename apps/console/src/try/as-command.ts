import { quoted } from '../parts/quoted.ts'
import type { JsonObject, McpRequest } from './mcp-messages.ts'

/** The revision whose calls need no session, so that one command is enough. */
const REVISION = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'curl', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** The same request with `curl`, at the address that clients use. */
export function curlCommand(address: string, { method, params }: McpRequest): string {
  const name = params['name'] ?? params['uri']
  const headers = [
    ...['content-type: application/json', 'accept: application/json, text/event-stream'],
    ...[`mcp-protocol-version: ${REVISION}`, `mcp-method: ${method}`],
    ...(typeof name === 'string' ? [`mcp-name: ${headerValue(name)}`] : []),
  ]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } })
  return ['curl', address, ...headers.flatMap((header) => ['-H', header]), '-d', body].map(quoted).join(' ')
}

export function thvCallCommand(server: string, tool: string, args: JsonObject): string {
  const json = Object.keys(args).length > 0 ? ['--json', JSON.stringify(args)] : []
  // A name that begins with a dash is not an option.
  const words = tool.startsWith('-') ? [...json, '--', server, tool] : [server, tool, ...json]
  return ['thv', 'call', ...words].map(quoted).join(' ')
}

/** Any text in a header, as that revision writes it. */
function headerValue(text: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')) return text
  const bytes = [...new TextEncoder().encode(text)].map((byte) => String.fromCharCode(byte)).join('')
  return `=?base64?${btoa(bytes)}?=`
}
