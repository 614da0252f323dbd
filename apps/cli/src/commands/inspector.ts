import { FORMAT_FLAG, defineCommand } from '../command.ts'

export const inspector = defineCommand({
  words: 'inspector',
  summary: 'Try out a workload with the MCP Inspector',
  description:
    'Runs the MCP Inspector, the official tool to try out servers, and prints the address of its page, which is already connected to the ' +
    'workload. It runs until Ctrl-C and leaves nothing behind.\n\n' +
    'The Inspector comes from npm and is isolated like any workload: it reaches only this one workload, and has no ' +
    'network, files or secrets. Only you can open its page: the address contains a token, and other users of this machine ' +
    'cannot open it.',
  args: [{ name: 'name', summary: 'which workload', required: true, completes: 'workload' }],
  flags: {
    uiPort: {
      type: 'number',
      short: 'u',
      value: 'port',
      summary: 'port of its page and of its MCP proxy',
      default: 6274,
      min: 1,
      max: 65_535,
    },
    mcpProxyPort: {
      type: 'number',
      short: 'p',
      value: 'port',
      summary: 'its second port, for the pages of MCP Apps; before version 2, the port of its MCP proxy',
      default: 6277,
      min: 1,
      max: 65_535,
    },
    inspectorVersion: { type: 'text', value: 'version', summary: 'another version, 2.0.0 or newer' },
    ...FORMAT_FLAG,
  },
  examples: [
    { command: 'thv inspector time', shows: 'the address for your browser', endless: true },
    { command: 'thv inspector time --ui-port 7274 --mcp-proxy-port 7277', shows: 'at other ports', endless: true },
  ],
  run: async (context, { args: [name = ''], flags }) => {
    const { runInspector } = await import('../inspector/run-inspector.ts')
    await runInspector(context, name, flags)
  },
})
