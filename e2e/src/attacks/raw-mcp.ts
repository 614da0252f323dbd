import type { Answer } from '../raw-call.ts'

/** A client of a workload that sends any text. */
export interface RawMcp {
  send: (body: string) => Promise<Answer>
  call: (tool: string, args: object, id?: number) => Promise<Answer>
}

const VERSION = '2025-03-26'

export async function openRawMcp(url: string, extra: Readonly<Record<string, string>> = {}): Promise<RawMcp> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...extra }
  const post = (body: string, more: Readonly<Record<string, string>> = {}) =>
    fetch(url, { method: 'POST', headers: { ...headers, ...more }, body })
  const params = { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  const first = await post(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }))
  await first.text()
  const session = { 'mcp-session-id': first.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': VERSION }
  const send = async (body: string) => {
    const response = await post(body, session)
    return { status: response.status, body: await response.text() }
  }
  await send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
  return {
    send,
    call: (name, args, id = 1) =>
      send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })),
  }
}
