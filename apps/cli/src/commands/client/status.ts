import { FORMAT_FLAG, defineCommand } from '../../command.ts'

export const clientStatus = defineCommand({
  words: 'client status',
  summary: 'See which clients are installed and registered',
  description:
    'Shows every client program that Toolhaven knows, whether it is installed here, and whether it is registered. A registered ' +
    'client finds your workloads in its own configuration file. If a file cannot be read, the command names the fault.',
  flags: FORMAT_FLAG,
  examples: [
    { command: 'thv client status', shows: 'every known client' },
    { command: 'thv client status --format json', shows: 'for a script' },
  ],
  run: async ({ daemon, out, signal }, { flags }) => {
    const client = await daemon()
    const [{ clients }, { clientTitle }, { fileProblems, problemNotes }] = await Promise.all([
      client.call('discoverClients', {}, signal),
      import('@toolhaven/contract/client-titles'),
      import('./file-problems.ts'),
    ])
    if (flags.format === 'json') return out.json({ clients })
    out.table(
      [
        { title: 'CLIENT', value: (each) => each.client_type },
        { title: 'INSTALLED', value: ({ installed }) => (installed ? 'yes' : 'no') },
        { title: 'REGISTERED', value: ({ registered }) => (registered ? 'yes' : 'no') },
        { title: 'PROGRAM', value: (each) => clientTitle(each.client_type) },
      ],
      clients,
    )
    const registered = clients.filter((each) => each.registered).map((each) => each.client_type)
    for (const note of problemNotes(await fileProblems(client, registered, signal))) out.note(note)
  },
})
