import { defineCommand } from '../command.ts'
import { PROXY_FLAGS } from '../proxy/proxy-flags.ts'

export const proxy = defineCommand({
  words: 'proxy',
  summary: 'Put an authenticating proxy before any MCP server',
  description:
    'Serves an MCP server that you run yourself, or a remote one, at an address on this machine until Ctrl-C. Neither the\n' +
    'daemon nor a workload is involved.\n\n' +
    'With --oidc-issuer callers need a token of that issuer (an OpenID provider), made for the proxy: signed with a key of\n' +
    'the issuer, or confirmed by it with --oidc-introspection-url. Without, everybody who reaches the port is let in, so it\n' +
    'is only opened on this machine. Callers’ tokens are never handed to the server; what it needs is given with\n' +
    '--target-header, --target-header-secret or --target-bearer-file.',
  args: [{ name: 'name', summary: 'name of the proxy, for messages', required: true }],
  flags: PROXY_FLAGS,
  examples: [
    {
      command: 'thv proxy notes --target-uri http://127.0.0.1:18300/mcp --port 18301',
      shows: 'a server of yours at another port',
      endless: true,
    },
    {
      command:
        'thv proxy notes --target-uri http://127.0.0.1:18300/mcp --port 18301 --oidc-issuer https://id.example.com --oidc-audience notes',
      shows: 'the same, for callers with a token',
      endless: true,
    },
    {
      command: 'thv proxy notes --target-uri http://127.0.0.1:18300/mcp --target-bearer-file token.txt',
      shows: 'a server that wants a token itself',
      endless: true,
    },
  ],
  run: async (context, { args: [name = ''], flags }) => {
    const { runProxy } = await import('../proxy/run-proxy.ts')
    await runProxy(context, name, flags)
  },
})
