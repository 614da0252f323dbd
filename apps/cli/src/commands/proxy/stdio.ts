import { defineCommand } from '../../command.ts'

export const proxyStdio = defineCommand({
  words: 'proxy stdio',
  summary: 'Bridge a workload to stdin and stdout',
  description:
    'For clients that can only start a program and speak with it over stdin and stdout: give them\n' +
    '"thv proxy stdio NAME" as the command. Messages are JSON-RPC, one per line; nothing else is written to stdout.\n\n' +
    'It ends when stdin does. A restart of the workload or of the daemon is bridged; calls that were under way then get an\n' +
    'error. A workload that asks its callers for a token takes it from --token-file.',
  args: [{ name: 'name', summary: 'which workload, by its name or address', required: true, completes: 'workload' }],
  flags: {
    tokenFile: { type: 'text', value: 'file', summary: 'file with a token for a workload that asks for one' },
  },
  examples: [
    { command: 'thv proxy stdio time < messages.jsonl', shows: 'the answers to the messages of a file' },
    { command: 'thv proxy stdio time', shows: 'what a client starts' },
  ],
  run: async (context, { args: [name = ''], flags }) => {
    const { runStdioProxy } = await import('../../proxy/run-stdio-proxy.ts')
    await runStdioProxy(context, name, flags.tokenFile)
  },
})
