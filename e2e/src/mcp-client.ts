import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema, type ClientCapabilities } from '@modelcontextprotocol/sdk/types.js'

export interface McpConnection extends AsyncDisposable {
  client: Client
  toolNames: () => Promise<string[]>
}

/** Connects a real MCP client to a workload's `url`. */
export async function connectMcp(url: string, capabilities: ClientCapabilities = {}): Promise<McpConnection> {
  const client = new Client({ name: 'toolhaven-e2e', version: '1.0.0' }, { capabilities })
  const address = new URL(url)
  await client.connect(
    address.pathname === '/sse' ? new SSEClientTransport(address) : new StreamableHTTPClientTransport(address),
  )
  return {
    client,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** The text that a tool answers with. */
export async function callText(
  { client }: McpConnection,
  name: string,
  args: Record<string, unknown> = {},
): Promise<string> {
  const { content } = CallToolResultSchema.parse(await client.callTool({ name, arguments: args }))
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
