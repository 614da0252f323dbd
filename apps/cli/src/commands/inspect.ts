import { FORMAT_FLAG, defineCommand } from '../command.ts'

export const inspect = defineCommand({
  words: 'inspect',
  aliases: ['show'],
  summary: 'Show everything about a workload',
  description:
    'Shows the status of a workload with its reason, its address, what it runs, what it may reach and read, its tools, its ' +
    'limits and usage, the clients that see it, and how it last ended. Values of variables are not shown, because they may be keys.\n\n' +
    'As JSON: {"workload", "clients", "permissions", "tools", "confinement", "stats", "last_exit"}, where workload holds the whole ' +
    'configuration. Unknown values are absent.',
  args: [{ name: 'name', summary: 'which workload', required: true, completes: 'workload' }],
  flags: FORMAT_FLAG,
  examples: [
    { command: 'thv inspect time', shows: 'everything in one place' },
    { command: 'thv inspect time --format json', shows: 'with the whole configuration, for a script' },
  ],
  run: async ({ daemon, out, signal }, { args: [name = ''], flags }) => {
    const { readInspection } = await import('../inspect/read-inspection.ts')
    const inspection = await readInspection(await daemon(), name, signal)
    if (flags.format === 'json') return out.json(inspection)
    const { showInspection } = await import('../inspect/show-inspection.ts')
    showInspection(out, inspection)
  },
})
