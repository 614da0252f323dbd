import { FORMAT_FLAG, defineCommand } from '../command.ts'

export const move = defineCommand({
  words: 'move',
  summary: 'Move workloads to another group',
  description:
    'Moves workloads to another group. From then on, the clients of that group see them, and those of the old one do not. ' +
    'The server does not restart, and its address stays. A stopped workload stays stopped.',
  args: [{ name: 'name', summary: 'which workloads', required: true, variadic: true, completes: 'workload' }],
  flags: {
    group: { type: 'text', short: 'g', value: 'name', summary: 'group to move to (required)' },
    ...FORMAT_FLAG,
  },
  usageHint: 'Name the group with --group.',
  examples: [{ command: 'thv move time --group research', shows: 'clients of research see it now' }],
  run: async (context, { args, flags }) => {
    const { moveWorkloads } = await import('../edit/move-workloads.ts')
    await moveWorkloads(context, args, flags)
  },
})
