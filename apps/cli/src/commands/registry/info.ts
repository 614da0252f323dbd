import { FORMAT_FLAG, defineCommand } from '../../command.ts'

export const registryInfo = defineCommand({
  words: 'registry info',
  summary: 'Show a server of the registry',
  description: 'Shows the purpose, tools, requirements and permissions of a server in the registry.',
  args: [{ name: 'server', summary: 'name of the server', required: true, completes: 'server' }],
  flags: FORMAT_FLAG,
  examples: [
    { command: 'thv registry info time', shows: 'tools, variables and permissions' },
    { command: 'thv registry info time --format json', shows: 'the same for a script' },
  ],
  run: async ({ daemon, out, signal }, { args: [serverName = ''], flags }) => {
    const client = await daemon()
    const [{ REGISTRY, serverNames }, { orDidYouMean }] = await Promise.all([
      import('../../registry/servers.ts'),
      import('../../output/did-you-mean.ts'),
    ])
    const names = { wanted: [serverName], known: () => serverNames(client, signal), seeAll: 'thv registry list' }
    const found = await orDidYouMean(names, () =>
      client.call('getServer', { params: { name: REGISTRY, serverName } }, signal),
    )
    if (flags.format === 'json') return out.json(found)
    const { describeServer } = await import('../../registry/describe-server.ts')
    const server = found.server ?? found.remote_server
    if (server) for (const line of describeServer(server, out.colour)) out.line(line)
  },
})
