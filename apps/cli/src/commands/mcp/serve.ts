import { defineCommand } from '../../command.ts'

export const mcpServe = defineCommand({
  words: 'mcp serve',
  summary: 'Let AI clients manage servers',
  description:
    'Makes Toolhaven itself an MCP server, until Ctrl-C. Its tools: search_registry, run_server, list_servers, ' +
    'stop_server, remove_server and get_server_logs.\n\n' +
    'Over streamable HTTP it listens on this machine only, for you alone: no web page and no other user gets in. With ' +
    '--transport stdio a client starts it itself, with the command "thv mcp serve --transport stdio".\n' +
    'No tool gives the value of a secret.',
  flags: {
    transport: {
      type: 'text',
      value: 'kind',
      summary: 'how clients speak to it: streamable-http or stdio',
      choices: ['streamable-http', 'stdio'],
      default: 'streamable-http',
    },
    host: { type: 'text', value: 'address', summary: 'loopback address it listens on', default: '127.0.0.1' },
    port: {
      type: 'number',
      value: 'number',
      summary: 'port it listens on; 0: a free one',
      default: 4483,
      min: 0,
      max: 65_535,
    },
  },
  examples: [
    { command: 'thv mcp serve', shows: 'at http://127.0.0.1:4483/mcp', endless: true },
    { command: 'thv mcp serve --port 0', shows: 'at a free port, which it prints', endless: true },
    { command: 'thv mcp serve --transport stdio', shows: 'for a client that starts it as its child', endless: true },
  ],
  run: async (context, { flags }) => {
    const { serveMcp } = await import('../../mcp-server/serve-mcp.ts')
    await serveMcp(context, flags)
  },
})
