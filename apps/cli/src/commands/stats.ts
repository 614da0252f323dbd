import { FORMAT_FLAG, defineCommand } from '../command.ts'

export const stats = defineCommand({
  words: 'stats',
  aliases: ['top'],
  summary: 'Show what workloads use, live',
  description:
    'Shows a table that updates every two seconds until Ctrl-C: CPU (100 % is one core), memory, processes with their ' +
    'threads, sessions of clients, and the calls of the last minute with their median time. ' +
    'Without a terminal, each table is printed below the last one.\n\n' +
    '"–" marks values that cannot be measured. Toolhaven measures only while you look.\n\n' +
    'As JSON: {"workloads"} on one line for each update, or on several with --no-stream. "not_measured" says why CPU, memory or processes are absent.',
  args: [{ name: 'name', summary: 'only these workloads', variadic: true, completes: 'workload' }],
  flags: {
    all: { type: 'boolean', short: 'a', summary: 'include stopped ones' },
    group: { type: 'text', short: 'g', value: 'name', summary: 'only those of this group' },
    noStream: { type: 'boolean', summary: 'look once' },
    ...FORMAT_FLAG,
  },
  foreignOptions: { '-n': 'Write --no-stream to look once.', '-b': 'Write --no-stream to look once.' },
  examples: [
    { command: 'thv stats', shows: 'every workload that should be running', endless: true },
    { command: 'thv stats time --no-stream', shows: 'one workload, once' },
    { command: 'thv stats --no-stream --format json', shows: 'for a script' },
  ],
  run: async (context, { args, flags }) => {
    const { showStats } = await import('../stats/show-stats.ts')
    await showStats(context, args, flags)
  },
})
