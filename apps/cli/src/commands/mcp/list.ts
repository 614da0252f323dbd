import { listCommand } from '../../mcp-client/list-command.ts'

export const mcpList = listCommand(['tools', 'resources', 'prompts'], {
  words: 'mcp list',
  summary: 'List what an MCP server offers',
  description: 'Asks an MCP server for its tools, resources and prompts, all pages of them, and lists the three.',
  examples: [
    { command: 'thv mcp list --server time', shows: 'everything the workload time offers' },
    { command: 'thv mcp list --server time --format json', shows: 'the same for a script' },
  ],
})
