import { FORMAT_FLAG, defineCommand } from '../../command.ts'
import { orSetUp } from './or-set-up.ts'

export const secretList = defineCommand({
  words: 'secret list',
  aliases: ['ls'],
  summary: 'List secrets',
  description: 'Lists the names of the secrets, never their values.',
  flags: FORMAT_FLAG,
  examples: [
    { command: 'thv secret list', shows: 'names only' },
    { command: 'thv secret list --format json', shows: 'for a script' },
  ],
  run: async ({ daemon, out, signal }, { flags }) => {
    const client = await daemon()
    const { keys } = await orSetUp(() => client.call('listSecrets', {}, signal))
    if (flags.format === 'json') return out.json({ keys })
    if (keys.length === 0) return out.note('There are no secrets; "thv secret set NAME" stores one.')
    const columns = [{ title: 'NAME', value: ({ key }: (typeof keys)[number]) => key }]
    const description = {
      title: 'DESCRIPTION',
      value: ({ description = '' }: (typeof keys)[number]) => description,
      shrinks: true,
    }
    out.table(keys.some((each) => each.description !== undefined) ? [...columns, description] : columns, keys)
  },
})
