/** The fixture server of revision 2026-07-28: `node stateless-fixture.ts --transport=stdio|streamable-http`. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseArgs } from 'node:util'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { serveLoopback } from './loopback-only.ts'
import { regionMismatch } from './region-header.ts'
import { makeStatelessServer } from './stateless-server.ts'

const { transport, port } = parseArgs({
  options: { transport: { type: 'string', default: 'stdio' }, port: { type: 'string', default: '0' } },
}).values

if (transport === 'streamable-http') {
  const handler = createMcpHandler(() => makeStatelessServer(() => handler.notify), { legacy: 'reject' })
  serveLoopback(Number(port), (request, response) => void answer(handler.fetch, request, response))
} else {
  serveStdio(
    () =>
      makeStatelessServer((server) => ({
        toolsChanged: () => void server.sendToolListChanged(),
        promptsChanged: () => void server.sendPromptListChanged(),
      })),
    { legacy: 'reject' },
  )
}

async function answer(
  fetch: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort())
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
  const body = chunks.length === 0 ? null : Buffer.concat(chunks)
  const method = incoming.method ?? 'GET'
  const request = new Request(`http://fixture${incoming.url}`, { method, headers, body, signal: gone.signal })
  const response = regionMismatch(request, String(body)) ?? (await fetch(request))
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).flushHeaders()
  try {
    for await (const chunk of response.body ?? []) outgoing.write(chunk)
  } catch {
    // The client left in the middle.
  }
  outgoing.end()
}
