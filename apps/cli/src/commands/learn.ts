import { FORMAT_FLAG, defineCommand } from '../command.ts'

export const learn = defineCommand({
  words: 'learn',
  summary: 'Find the smallest profile with which a workload works',
  description:
    'Shows the smallest permission profile that would have worked, derived from the connections that the workload tried to open, with ' +
    'the number and time of each. --apply puts the profile in force.\n\n' +
    '--observe restarts the workload with every public host allowed, and records which hosts and ports it uses, and ' +
    'the paths of plain HTTP requests. This machine, private networks and metadata addresses stay out of reach. Use the tools that you need, ' +
    'then apply. If a list is in force, blocked connections are recorded too, and the profile is that list plus what it blocked.\n\n' +
    'Toolhaven cannot see paths inside TLS, or which mounted files a server uses. Mounts ' +
    'do not change. At most 500 destinations are kept, without queries and secrets, until the workload is removed or ' +
    'observed again.\n\n' +
    'As JSON: {"name", "mode", "since", "permission_profile", "evidence", "left_out", "notes"}.',
  args: [{ name: 'name', summary: 'which workload', required: true, completes: 'workload' }],
  flags: {
    observe: { type: 'boolean', summary: 'allow every public host, and record what is used' },
    apply: { type: 'boolean', summary: 'put the profile in force; the workload is restarted' },
    ...FORMAT_FLAG,
  },
  examples: [
    { command: 'thv learn fetch --observe', shows: 'start to record; then use its tools' },
    { command: 'thv learn fetch', shows: 'the profile, and the evidence for it' },
    { command: 'thv learn fetch --apply', shows: 'put the profile in force' },
    { command: 'thv learn fetch --format json', shows: 'for a script' },
  ],
  run: async (context, { args: [name = ''], flags }) => {
    if (flags.observe && flags.apply) {
      const { invalid } = await import('@toolhaven/core/errors')
      throw invalid(
        '--observe and --apply cannot be used together\nRun with --observe, use the server, then run with --apply.',
      )
    }
    const { applyLearned, observe, showLearned } = await import('../learn/learn.ts')
    await (flags.observe ? observe : flags.apply ? applyLearned : showLearned)(context, name, flags.format)
  },
})
