import { FORMAT_FLAG, defineCommand } from '../command.ts'

export const search = defineCommand({
  words: 'search',
  summary: 'Find servers in the registry',
  description:
    'Finds the servers in the registry that have every word in their name, tags, tools or description. The best match comes first. ' +
    '"thv run NAME" runs one.',
  args: [{ name: 'word', summary: 'what to look for', required: true, variadic: true }],
  flags: FORMAT_FLAG,
  usageHint: '"thv registry list" lists all servers.',
  examples: [
    { command: 'thv search time', shows: 'servers about time' },
    { command: 'thv search web page --format json', shows: 'two words, for a script' },
  ],
  run: async ({ daemon, out, signal }, { args, flags }) => {
    const client = await daemon()
    const [{ REGISTRY, serverTable }, { searchServers }] = await Promise.all([
      import('../registry/servers.ts'),
      import('../registry/search-servers.ts'),
    ])
    const query = args.join(' ')
    const found = searchServers(await client.call('listServers', { params: { name: REGISTRY } }, signal), query)
    if (flags.format === 'json') return out.json(found)
    if (found.servers.length + found.remote_servers.length > 0) return serverTable(out, found)
    out.note(`No server matches "${query}"; "thv registry list" shows them all.`)
  },
})
