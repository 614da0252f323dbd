import { listCommand } from '../../mcp-client/list-command.ts'

export const mcpListPrompts = listCommand(['prompts'], {
  words: 'mcp list prompts',
  summary: 'List the prompts of an MCP server',
  description:
    'Asks an MCP server for its prompts and lists them with their arguments. A question mark means that an argument is optional.',
  examples: [
    { command: 'thv mcp list prompts --server time', shows: 'the prompts of the workload time' },
    { command: 'thv mcp list prompts --server time --format json', shows: 'for a script' },
  ],
})
