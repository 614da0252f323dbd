import { FORMAT_FLAG, defineCommand } from '../../command.ts'

export const proxyTunnel = defineCommand({
  words: 'proxy tunnel',
  summary: 'Give a workload an address that others can reach',
  description:
    'Opens a tunnel to a workload, or to an MCP server at a URL, and keeps it open until Ctrl-C.\n\n' +
    'Providers\n' +
    '  ngrok   an address of ngrok’s service. Needs an account and the package @ngrok/ngrok, which you install. The token\n' +
    '          comes from NGROK_AUTHTOKEN. Arguments: auth-token, auth-token-file, url (your own domain),\n' +
    '          traffic-policy-file. Follows ngrok’s documentation; not tested with a real account.\n' +
    '  local   another port of this machine, to try things out. Arguments: port.\n\n' +
    'The command refuses a target that lets everybody in: on the internet, anyone who finds the address could use its tools. For a\n' +
    'workload that asks for tokens, set its resource URL to the public address, so that clients find where to log in.',
  args: [
    { name: 'target', summary: 'a workload, or the URL of an MCP server', required: true, completes: 'workload' },
    { name: 'name', summary: 'name in the provider’s lists (default: the name of the target)' },
  ],
  flags: {
    tunnelProvider: {
      type: 'text',
      value: 'name',
      summary: 'who opens the tunnel: ngrok or local (required)',
      choices: ['ngrok', 'local'],
    },
    providerArgs: {
      type: 'text',
      value: 'json',
      summary: 'arguments of the provider, as a JSON object',
      default: '{}',
    },
    allowUnauthenticated: { type: 'boolean', summary: 'allow a target that lets everybody in' },
    ...FORMAT_FLAG,
  },
  examples: [
    {
      command: 'thv proxy tunnel time --tunnel-provider local --allow-unauthenticated',
      shows: 'the same workload at another port',
      endless: true,
    },
    { command: 'thv proxy tunnel time --tunnel-provider ngrok', shows: 'on the internet, for callers with a token' },
  ],
  run: async (context, { args: [target = '', name], flags }) => {
    const { tunnelProvider: provider, ...rest } = flags
    if (provider === undefined) {
      const { invalid } = await import('@toolhaven/core/errors')
      throw invalid('--tunnel-provider is missing\nPass --tunnel-provider ngrok or --tunnel-provider local.')
    }
    const { runTunnel } = await import('../../tunnel/run-tunnel.ts')
    await runTunnel(context, { target, name, provider, ...rest })
  },
})
