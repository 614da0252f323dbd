// The obvious first version: the official SDK on both sides, one client of the stdio server for all sessions.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CallToolRequestSchema, CallToolResultSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const [port, command, ...args] = process.argv.slice(2)
const client = new Client({ name: 'sdk-bridge', version: '1.0.0' })
await client.connect(new StdioClientTransport({ command, args }))
const sessions = new Map()

async function open() {
  const server = new Server({ name: 'sdk-bridge', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => client.listTools(params))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => client.callTool(params, CallToolResultSchema))
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    enableJsonResponse: true,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  })
  await server.connect(transport)
  return transport
}

const server = createServer(async (request, response) => {
  const transport = sessions.get(request.headers['mcp-session-id']) ?? (await open())
  await transport.handleRequest(request, response)
})
server.listen(Number(port), '127.0.0.1')
process.once('SIGTERM', async () => {
  await client.close()
  process.exit(0)
})
