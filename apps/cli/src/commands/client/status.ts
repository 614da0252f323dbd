import { FORMAT_FLAG, defineCommand } from '../../command.ts'

export const clientStatus = defineCommand({
  words: 'client status',
  summary: 'See which clients are installed and registered',
  description:
    'Shows every client program that is known, whether it is installed here, and whether it is registered: a registered ' +
    'client finds your workloads in its own configuration file.',
  flags: FORMAT_FLAG,
  examples: [
    { command: 'thv client status', shows: 'every known client' },
    { command: 'thv client status --format json', shows: 'for a script' },
  ],
  run: async ({ daemon, out, signal }, { flags }) => {
    const client = await daemon()
    const { clients } = await client.call('discoverClients', {}, signal)
    if (flags.format === 'json') return out.json({ clients })
    out.table(
      [
        { title: 'CLIENT', value: (each) => each.client_type },
        { title: 'INSTALLED', value: ({ installed }) => (installed ? 'yes' : 'no') },
        { title: 'REGISTERED', value: ({ registered }) => (registered ? 'yes' : 'no') },
      ],
      clients,
    )
  },
})
