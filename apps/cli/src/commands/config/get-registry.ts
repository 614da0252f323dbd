import { FORMAT_FLAG, defineCommand } from '../../command.ts'

export const configGetRegistry = defineCommand({
  words: 'config get-registry',
  summary: 'Show where the registry comes from',
  description: 'Shows where the registry comes from: a URL, a file, or the built-in one.',
  flags: FORMAT_FLAG,
  examples: [
    { command: 'thv config get-registry', shows: 'the source in use' },
    { command: 'thv config get-registry --format json', shows: 'with its version and size' },
  ],
  run: async ({ daemon, out, signal }, { flags }) => {
    const client = await daemon()
    const { registries } = await client.call('listRegistries', {}, signal)
    const [registry] = registries
    if (!registry) return out.note('There is no registry.')
    if (flags.format === 'json') return out.json(registry)
    out.line(registry.type === 'default' ? 'built-in' : registry.source)
  },
})
