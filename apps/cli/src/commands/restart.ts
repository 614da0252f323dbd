import { lifecycleCommand } from '../lifecycle/lifecycle-command.ts'

export const restart = lifecycleCommand('restart', {
  words: 'restart',
  aliases: ['start'],
  summary: 'Start stopped workloads, or restart running ones',
  description:
    'Starts stopped workloads, restarts running ones, and waits until they answer. Port and address stay the same.',
  examples: [
    { command: 'thv restart time', shows: 'one workload' },
    { command: 'thv restart --group default', shows: 'all of a group' },
    { command: 'thv restart --all', shows: 'every workload, including stopped ones' },
  ],
  done: 'is running',
})
