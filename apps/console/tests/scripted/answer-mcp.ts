import type { FakeDaemonParts } from '@toolhaven/fakes/fake-daemon'

/** A tool as its server defines it. */
export interface ScriptedTool {
  name: string
  description: string
  inputSchema: object
}

interface Asked {
  id?: number
  method: string
  params?: { name?: string; arguments?: { timezone?: string } }
}

/** Answers the calls that the console makes of a server with these tools. */
export function answerMcp(tools: readonly ScriptedTool[]): NonNullable<FakeDaemonParts['relay']> {
  return async ({ method, body }) => {
    if (method !== 'POST') return new Response(null, { status: 405 })
    const asked: Asked = await new Response(body).json()
    if (asked.id === undefined) return new Response(null, { status: 202 })
    const result = resultOf(asked, tools)
    return Response.json({ jsonrpc: '2.0', id: asked.id, result }, { headers: { 'mcp-session-id': 'scripted' } })
  }
}

function resultOf({ method, params }: Asked, tools: readonly ScriptedTool[]): object {
  if (method === 'initialize')
    return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'time', version: '1' } }
  if (method === 'tools/list') return { tools }
  if (method !== 'tools/call') return {}
  const timezone = params?.arguments?.timezone ?? 'UTC'
  const result = { timezone, datetime: '2026-01-01T09:00:00+09:00', day_of_week: 'Thursday', is_dst: false }
  return { content: [{ type: 'text', text: JSON.stringify(result, null, 2) }] }
}
