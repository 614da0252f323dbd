import { FORMAT_FLAG, defineCommand } from '../command.ts'

const TAIL = 'Write --tail NUMBER, or -n NUMBER.'

export const logs = defineCommand({
  words: 'logs',
  summary: 'Show the output of workloads',
  description:
    'Shows the last 100 lines of a workload’s output, and with --follow each new one until Ctrl-C. The lines of several workloads ' +
    'are sorted by time, each with the name of its workload in front. Lines that begin with [toolhaven] say ' +
    'how a server ended and when it starts again.\n\n' +
    '--since shows all lines since that time, at most 10000. Lines that an older Toolhaven stored have no time.\n\n' +
    'As JSON: one object for each line, {"workload", "time", "stream", "text"}.',
  args: [{ name: 'name', summary: 'which workloads', required: true, variadic: true, completes: 'workload' }],
  flags: {
    follow: { type: 'boolean', short: 'f', summary: 'print new lines as they come' },
    tail: {
      type: 'number',
      short: 'n',
      value: 'number',
      summary: 'maximum number of lines of each workload (default: 100)',
      min: 0,
      max: 10_000,
    },
    since: { type: 'text', value: 'time', summary: 'only lines since then: 10m, 2h, 1d, or 2026-01-15T09:30:00Z' },
    timestamps: { type: 'boolean', short: 't', summary: 'the time before each line' },
    previous: { type: 'boolean', short: 'p', summary: 'output from before the latest start of the server' },
    ...FORMAT_FLAG,
  },
  foreignOptions: { '--lines': TAIL, '--last': TAIL, '--number': TAIL, '-F': 'Write --follow, or -f.' },
  examples: [
    { command: 'thv logs time', shows: 'the last lines' },
    { command: 'thv logs time --since 10m --timestamps', shows: 'the last ten minutes, with times' },
    { command: 'thv logs time --previous --tail 20', shows: 'why it ended' },
    { command: 'thv logs time --follow', shows: 'and new lines as they come', endless: true },
  ],
  run: async (context, { args, flags }) => {
    const { showLogs } = await import('../logs/show-logs.ts')
    await showLogs(context, args, flags)
  },
})
