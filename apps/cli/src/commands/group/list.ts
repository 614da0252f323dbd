import { FORMAT_FLAG, defineCommand } from '../../command.ts'

export const groupList = defineCommand({
  words: 'group list',
  aliases: ['ls'],
  summary: 'List groups',
  description: 'Lists the groups with the clients registered with each and the workloads it holds.',
  flags: FORMAT_FLAG,
  examples: [
    { command: 'thv group list', shows: 'every group' },
    { command: 'thv group list --format json', shows: 'for a script' },
  ],
  run: async ({ daemon, out, signal }, { flags }) => {
    const client = await daemon()
    const { groups } = await client.call('listGroups', {}, signal)
    if (flags.format === 'json') return out.json({ groups })
    const { workloads } = await client.call('listWorkloads', { query: { all: true } }, signal)
    const membersOf = (name: string) => workloads.filter(({ group }) => group === name).map((workload) => workload.name)
    out.table(
      [
        { title: 'NAME', value: ({ name }) => name },
        { title: 'CLIENTS', value: ({ registered_clients: clients }) => clients.join(', ') || '-' },
        { title: 'WORKLOADS', value: ({ name }) => membersOf(name).join(', ') || '-', shrinks: true },
      ],
      groups,
    )
  },
})
