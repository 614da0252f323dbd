import { listCommand } from '../../mcp-client/list-command.ts'

export const mcpListResources = listCommand(['resources'], {
  words: 'mcp list resources',
  summary: 'List the resources of an MCP server',
  description: 'Asks an MCP server for its resources and resource templates, and lists them.',
  examples: [
    { command: 'thv mcp list resources --server time', shows: 'what can be read from the workload time' },
    { command: 'thv mcp list resources --server time --format json', shows: 'for a script' },
  ],
})
