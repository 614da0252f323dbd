import { defineCommand } from '../command.ts'
import { PROXY_FLAGS } from '../proxy/proxy-flags.ts'

export const proxy = defineCommand({
  words: 'proxy',
  summary: 'Put an authenticating proxy in front of any MCP server',
  description:
    'Serves an MCP server that you run yourself, or a remote one, at an address on this machine until Ctrl-C. It uses neither the\n' +
    'daemon nor a workload.\n\n' +
    'With --oidc-issuer, callers need a token from that issuer (an OpenID provider) for this proxy, which is signed with a key of\n' +
    'the issuer or, with --oidc-introspection-url, confirmed by it. Otherwise everybody who reaches the port is let in, so the proxy\n' +
    'listens only on this machine. Callers’ tokens are never passed to the server. Pass the token that it needs with\n' +
    '--target-header, --target-header-secret or --target-bearer-file.',
  args: [{ name: 'name', summary: 'name of the proxy, for messages', required: true }],
  flags: PROXY_FLAGS,
  examples: [
    {
      command: 'thv proxy notes --target-uri http://127.0.0.1:18300/mcp --port 18301',
      shows: 'your own server at another port',
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
      shows: 'a server that itself needs a token',
      endless: true,
    },
  ],
  run: async (context, { args: [name = ''], flags }) => {
    const { runProxy } = await import('../proxy/run-proxy.ts')
    await runProxy(context, name, flags)
  },
})
