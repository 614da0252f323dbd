import { FORMAT_FLAG, defineCommand } from '../command.ts'

export const logs = defineCommand({
  words: 'logs',
  summary: 'Show what workloads have written',
  description:
    'Shows the last 100 lines of a workload’s output, and with --follow each new one until Ctrl-C. Of several workloads, the ' +
    'lines stand in the order of time, each with the name of its workload before it. Lines that begin with [toolhaven] say ' +
    'how a server ended and when it starts again.\n\n' +
    'With --since, all lines since then are shown, at most 10000. Lines that an older Toolhaven stored have no time.\n\n' +
    'As JSON: one object for each line, {"workload", "time", "stream", "text"}.',
  args: [{ name: 'name', summary: 'which workloads', required: true, variadic: true, completes: 'workload' }],
  flags: {
    follow: { type: 'boolean', short: 'f', summary: 'go on with each new line' },
    tail: {
      type: 'number',
      short: 'n',
      value: 'number',
      summary: 'how many lines of each workload at most, the newest (default: 100)',
      min: 0,
      max: 10_000,
    },
    since: { type: 'text', value: 'time', summary: 'only lines since then: 10m, 2h, 1d, or 2026-01-15T09:30:00Z' },
    timestamps: { type: 'boolean', short: 't', summary: 'the time before each line' },
    previous: { type: 'boolean', short: 'p', summary: 'what the server wrote before its latest start' },
    ...FORMAT_FLAG,
  },
  examples: [
    { command: 'thv logs time', shows: 'the last lines' },
    { command: 'thv logs time --since 10m --timestamps', shows: 'those of the last ten minutes, with their times' },
    { command: 'thv logs time --previous --tail 20', shows: 'why it ended' },
    { command: 'thv logs time --follow', shows: 'and those to come', endless: true },
  ],
  run: async (context, { args, flags }) => {
    const { showLogs } = await import('../logs/show-logs.ts')
    await showLogs(context, args, flags)
  },
})
