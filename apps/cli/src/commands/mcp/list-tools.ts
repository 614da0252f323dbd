import { listCommand } from '../../mcp-client/list-command.ts'

export const mcpListTools = listCommand(['tools'], {
  words: 'mcp list tools',
  summary: 'List the tools that clients see on an MCP server',
  description:
    'Asks an MCP server for its tools and lists them with their arguments. A question mark means that an argument is optional.',
  examples: [
    { command: 'thv mcp list tools --server time', shows: 'the tools of the workload time' },
    {
      command: 'thv mcp list tools --server time --timeout 5 --format json',
      shows: 'with their schemas, for a script',
    },
  ],
})
