import { defineCommand } from '../../command.ts'

export const configUnsetRegistry = defineCommand({
  words: 'config unset-registry',
  summary: 'Go back to the built-in registry',
  examples: [{ command: 'thv config unset-registry', shows: 'the built-in one again' }],
  run: async ({ daemon, out, signal }) => {
    const client = await daemon()
    const { message } = await client.call('updateRegistry', { params: { name: 'default' }, body: {} }, signal)
    out.line(message)
  },
})
