import { lifecycleCommand } from '../lifecycle/lifecycle-command.ts'

const FORCED = '"thv stop" also ends a server that hangs. Remove the option.'

export const stop = lifecycleCommand('stop', {
  words: 'stop',
  summary: 'Stop workloads',
  description:
    'Stops workloads and waits until they are down. They keep their configuration and port. "thv restart" starts them again.',
  foreignOptions: { '-f': FORCED, '--force': FORCED, '-t': FORCED, '--time': FORCED },
  examples: [
    { command: 'thv stop time', shows: 'one workload' },
    { command: 'thv stop time fetch', shows: 'two at once' },
    { command: 'thv stop --group default', shows: 'all of a group' },
    { command: 'thv stop --all', shows: 'every workload' },
  ],
  done: 'is stopped',
})
