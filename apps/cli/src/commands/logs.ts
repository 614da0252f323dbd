import { defineCommand } from '../command.ts'

export const logs = defineCommand({
  words: 'logs',
  summary: 'Show what a workload has written',
  description: 'Shows the last 100 lines of a workload’s output, and with --follow each new one until Ctrl-C.',
  args: [{ name: 'name', summary: 'which workload', required: true, completes: 'workload' }],
  flags: { follow: { type: 'boolean', short: 'f', summary: 'go on with each new line' } },
  examples: [
    { command: 'thv logs time', shows: 'the last lines' },
    { command: 'thv logs time --follow', shows: 'and those to come', endless: true },
  ],
  run: async ({ daemon, out, signal }, { args: [name = ''], flags }) => {
    const client = await daemon()
    const [{ orUnknownWorkload }, { printable }] = await Promise.all([
      import('../lifecycle/or-unknown.ts'),
      import('../output/table.ts'),
    ])
    const params = { name }
    if (!flags.follow) {
      const text = await orUnknownWorkload(client, [name], signal, () =>
        client.call('getWorkloadLogs', { params }, signal),
      )
      if (text === '') return out.note(`${name} has written nothing yet.`)
      for (const line of text.split('\n').slice(0, -1)) out.line(printable(line))
      return
    }
    const lines = await orUnknownWorkload(client, [name], signal, () => client.stream('followLogs', { params }, signal))
    try {
      for await (const line of lines) out.line(printable(String(JSON.parse(line))))
    } catch (error) {
      // Ctrl-C is how following ends.
      if (!signal.aborted) throw error
    }
  },
})
