import { FORMAT_FLAG, defineCommand } from '../../command.ts'

export const groupCreate = defineCommand({
  words: 'group create',
  summary: 'Create a group',
  description:
    'Creates a group of workloads. A client registered with a group sees the workloads of that group only.\n\n' +
    'Names are lower case: letters, digits, ".", "_" and "-".',
  args: [{ name: 'name', summary: 'name of the new group', required: true }],
  flags: FORMAT_FLAG,
  examples: [
    { command: 'thv group create research', shows: 'an empty group; "thv run --group research ..." fills it' },
  ],
  run: async ({ daemon, out, signal }, { args: [name = ''], flags }) => {
    const client = await daemon()
    const created = await client.call('createGroup', { body: { name } }, signal).catch(async (error: unknown) => {
      const { conflict, isThvError } = await import('@toolhaven/core/errors')
      throw isThvError(error, 'conflict')
        ? conflict(`${error.message}\nChoose another name; "thv group list" lists them.`, error)
        : error
    })
    if (flags.format === 'json') return out.json(created)
    out.line(`group ${name} is created`)
  },
})
