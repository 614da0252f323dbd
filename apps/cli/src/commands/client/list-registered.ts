import { FORMAT_FLAG, defineCommand } from '../../command.ts'

export const clientListRegistered = defineCommand({
  words: 'client list-registered',
  aliases: ['list', 'ls'],
  summary: 'List registered clients',
  description: 'Lists the clients that get your workloads, with the groups that each of them sees.',
  flags: FORMAT_FLAG,
  examples: [
    { command: 'thv client list-registered', shows: 'clients and their groups' },
    { command: 'thv client list-registered --format json', shows: 'for a script' },
  ],
  run: async ({ daemon, out, signal }, { flags }) => {
    const client = await daemon()
    const clients = await client.call('listClients', {}, signal)
    if (flags.format === 'json') return out.json(clients)
    if (clients.length === 0) return out.note('No client is registered; "thv client setup" helps to choose.')
    out.table(
      [
        { title: 'CLIENT', value: ({ name }) => name },
        { title: 'GROUPS', value: ({ groups }) => groups.join(', '), shrinks: true },
      ],
      clients,
    )
  },
})
