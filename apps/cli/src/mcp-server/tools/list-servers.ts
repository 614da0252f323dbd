import type { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { answer } from '../answer.ts'
import { serverRecord, serverRecordOf } from '../server-record.ts'
import type { ToolDeps } from '../tool-deps.ts'

export function registerListServers(server: McpServer, { daemon }: ToolDeps): void {
  const config = {
    title: 'List servers',
    description:
      'Lists the MCP servers that Toolhaven runs, with their status and the address that clients connect to.',
    inputSchema: z.object({
      all: z.boolean().default(true).describe('Include stopped ones'),
      group: z.string().optional().describe('Only those of this group'),
    }),
    outputSchema: z.object({ servers: z.array(serverRecord) }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  }
  server.registerTool('list_servers', config, ({ all, group }, { mcpReq: { signal } }) =>
    answer(async () => {
      const client = await daemon()
      const { workloads } = await client.call('listWorkloads', { query: { all, group } }, signal)
      return { servers: workloads.map(serverRecordOf) }
    }),
  )
}
