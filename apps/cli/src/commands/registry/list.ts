import { FORMAT_FLAG, defineCommand } from '../../command.ts'

export const registryList = defineCommand({
  words: 'registry list',
  aliases: ['ls'],
  summary: 'List the servers of the registry',
  description: 'Lists every server of the registry. "thv run NAME" runs one.',
  flags: FORMAT_FLAG,
  usageHint: '"thv search WORD" finds servers, and "thv registry info NAME" shows one.',
  examples: [
    { command: 'thv registry list', shows: 'all servers' },
    { command: 'thv registry list --format json', shows: 'with all details' },
  ],
  run: async ({ daemon, out, signal }, { flags }) => {
    const client = await daemon()
    const { REGISTRY, serverTable } = await import('../../registry/servers.ts')
    const found = await client.call('listServers', { params: { name: REGISTRY } }, signal)
    if (flags.format === 'json') return out.json(found)
    serverTable(out, found)
  },
})
