import { FORMAT_FLAG, defineCommand } from '../command.ts'

export const learn = defineCommand({
  words: 'learn',
  summary: 'Find the smallest profile a workload works with',
  description:
    'Shows the smallest permission profile that would have worked, made from the connections that the workload asked for, with ' +
    'how often and when each was seen. --apply puts it in force.\n\n' +
    '--observe restarts the workload with every public host allowed and records from then on which hosts and ports it uses, and ' +
    'the paths of plain HTTP. This machine, private networks and metadata addresses stay out of reach. Use the tools you need, ' +
    'then apply. While a list is in force, what it blocked is recorded too: the profile is then that list and what it blocked.\n\n' +
    'Not seen: paths inside TLS, and which files of its mounts a server uses. Mounts ' +
    'stay as they are. At most 500 places are kept, without queries and without secrets, until the workload is removed or ' +
    'observed again.\n\n' +
    'As JSON: {"name", "mode", "since", "permission_profile", "evidence", "left_out", "notes"}.',
  args: [{ name: 'name', summary: 'which workload', required: true, completes: 'workload' }],
  flags: {
    observe: { type: 'boolean', summary: 'allow every public host, and record what is used' },
    apply: { type: 'boolean', summary: 'put the profile in force; the workload is restarted' },
    ...FORMAT_FLAG,
  },
  examples: [
    { command: 'thv learn fetch --observe', shows: 'begin to watch; then use its tools' },
    { command: 'thv learn fetch', shows: 'the profile, and what was seen' },
    { command: 'thv learn fetch --apply', shows: 'from now on this and nothing else' },
    { command: 'thv learn fetch --format json', shows: 'for a script' },
  ],
  run: async (context, { args: [name = ''], flags }) => {
    if (flags.observe && flags.apply) {
      const { invalid } = await import('@toolhaven/core/errors')
      throw invalid('these exclude one another; give --observe first, use the server, then give --apply')
    }
    const { applyLearned, observe, showLearned } = await import('../learn/learn.ts')
    await (flags.observe ? observe : flags.apply ? applyLearned : showLearned)(context, name, flags.format)
  },
})
