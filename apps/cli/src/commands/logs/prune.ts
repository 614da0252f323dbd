import { FORMAT_FLAG, defineCommand } from '../../command.ts'

export const logsPrune = defineCommand({
  words: 'logs prune',
  summary: 'Remove output of workloads that no longer exist',
  description:
    'Removes the log files that belong to no workload. Log files of existing workloads stay, whether they run or not.',
  flags: FORMAT_FLAG,
  examples: [{ command: 'thv logs prune', shows: 'lists the removed logs' }],
  run: async ({ daemon, out, signal }, { flags }) => {
    const client = await daemon()
    const { removed } = await client.call('pruneLogs', {}, signal)
    if (flags.format === 'json') return out.json({ removed })
    if (removed.length === 0) return out.note('There is nothing to remove: every log belongs to a workload.')
    for (const name of removed) out.line(`log of ${name} is removed`)
  },
})
