import { FORMAT_FLAG, defineCommand } from '../../command.ts'

export const configUnsetRegistry = defineCommand({
  words: 'config unset-registry',
  summary: 'Go back to the built-in registry',
  flags: FORMAT_FLAG,
  examples: [{ command: 'thv config unset-registry', shows: 'back to the built-in one' }],
  run: async ({ daemon, out, signal }, { flags }) => {
    const client = await daemon()
    const changed = await client.call('updateRegistry', { params: { name: 'default' }, body: {} }, signal)
    if (flags.format === 'json') return out.json(changed)
    out.line(changed.message)
  },
})
