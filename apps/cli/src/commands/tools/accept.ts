import { FORMAT_FLAG, defineCommand } from '../../command.ts'

export const toolsAccept = defineCommand({
  words: 'tools accept',
  summary: 'Accept changed tools of a workload',
  description:
    'Shows how tools changed, asks, and takes them as they are now for the accepted ones. With --tools-changed block they may ' +
    'be called from then on. Just what was shown is accepted: when the server has other tools again by then, nothing is.',
  args: [
    { name: 'name', summary: 'which workload', required: true, completes: 'workload' },
    { name: 'tools', summary: 'only these tools; left out: all that changed', variadic: true },
  ],
  flags: { yes: { type: 'boolean', short: 'y', summary: 'accept without asking' }, ...FORMAT_FLAG },
  examples: [
    { command: 'thv tools accept time', shows: 'look at what changed, then agree' },
    { command: 'thv tools accept time --yes', shows: 'without asking, for a script' },
  ],
  run: async (context, { args: [name = '', ...tools], flags }) => {
    const { acceptTools } = await import('../../tools/accept-tools.ts')
    await acceptTools(context, name, tools, flags)
  },
})
