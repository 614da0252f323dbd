/** The fixture server of revision 2026-07-28: `node stateless-fixture.ts --transport=stdio|sse|streamable-http`. */
import { parseArgs } from 'node:util'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { serveStdio, type StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { answerSse } from '@toolhaven/testing/mcp-servers/answer-sse'
import { answerWithFetch } from '@toolhaven/testing/mcp-servers/answer-with-fetch'
import { serveLoopback } from './loopback-only.ts'
import { regionMismatch } from './region-header.ts'
import { makeStatelessServer } from './stateless-server.ts'

const { transport, port } = parseArgs({
  options: { transport: { type: 'string', default: 'stdio' }, port: { type: 'string', default: '0' } },
}).values

if (transport === 'streamable-http') {
  const handler = createMcpHandler(() => makeStatelessServer(() => handler.notify), { legacy: 'reject' })
  const handle = async (request: Request, body: string) => regionMismatch(request, body) ?? handler.fetch(request)
  serveLoopback(Number(port), (request, response) => void answerWithFetch(handle, request, response))
} else if (transport === 'sse') serveLoopback(Number(port), answerSse(serveMessages))
else serveMessages()

function serveMessages(pipe?: StdioServerTransport): void {
  serveStdio(
    () =>
      makeStatelessServer((server) => ({
        toolsChanged: () => void server.sendToolListChanged(),
        promptsChanged: () => void server.sendPromptListChanged(),
      })),
    { legacy: 'reject', ...(pipe && { transport: pipe }) },
  )
}
