import { defineCommand } from '../../command.ts'

export const proxyStdio = defineCommand({
  words: 'proxy stdio',
  summary: 'Bridge a workload to stdin and stdout',
  description:
    'For clients that can only start a program and talk to it over stdin and stdout. Configure\n' +
    '"thv proxy stdio NAME" as their command. Messages are JSON-RPC, one per line. Nothing else is written to stdout.\n\n' +
    'It ends when stdin closes. It survives a restart of the workload or of the daemon; calls in flight then get an\n' +
    'error. If the workload asks its callers for a token, pass it with --token-file.',
  args: [{ name: 'name', summary: 'which workload, by name or address', required: true, completes: 'workload' }],
  flags: {
    tokenFile: { type: 'text', value: 'file', summary: 'file with the token for a workload that asks for one' },
  },
  examples: [
    { command: 'thv proxy stdio time < messages.jsonl', shows: 'answers the messages in a file' },
    { command: 'thv proxy stdio time', shows: 'what a client starts' },
  ],
  run: async (context, { args: [name = ''], flags }) => {
    const { runStdioProxy } = await import('../../proxy/run-stdio-proxy.ts')
    await runStdioProxy(context, name, flags.tokenFile)
  },
})
