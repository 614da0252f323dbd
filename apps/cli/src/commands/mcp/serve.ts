import { defineCommand } from '../../command.ts'

export const mcpServe = defineCommand({
  words: 'mcp serve',
  summary: 'Let AI clients manage servers',
  description:
    'Runs Toolhaven itself as an MCP server until Ctrl-C. Its tools are search_registry, run_server, list_servers, ' +
    'stop_server, remove_server and get_server_logs.\n\n' +
    'Over streamable HTTP it listens on this machine only. Only you can use it, not web pages or other users. With ' +
    '--transport stdio, a client starts it with the command "thv mcp serve --transport stdio".\n' +
    'No tool returns the value of a secret.',
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
      summary: 'port it listens on; 0 picks a free one',
      default: 4483,
      min: 0,
      max: 65_535,
    },
  },
  examples: [
    { command: 'thv mcp serve', shows: 'at http://127.0.0.1:4483/mcp', endless: true },
    { command: 'thv mcp serve --port 0', shows: 'on a free port, which it prints', endless: true },
    { command: 'thv mcp serve --transport stdio', shows: 'for a client that starts it', endless: true },
  ],
  run: async (context, { flags }) => {
    const { serveMcp } = await import('../../mcp-server/serve-mcp.ts')
    await serveMcp(context, flags)
  },
})
