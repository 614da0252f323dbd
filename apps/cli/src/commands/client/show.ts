import { FORMAT_FLAG, defineCommand } from '../../command.ts'
import { orDidYouMean } from '../../output/did-you-mean.ts'
import { knownClients } from './known-clients.ts'

export const clientShow = defineCommand({
  words: 'client show',
  summary: 'Show the file of a client',
  description:
    'Shows the path of a client’s configuration file, which of its entries belong to Toolhaven and which are your own, and what would be ' +
    'written to it now. Writes nothing. With --group, it shows the result of registering the client with exactly these groups.',
  args: [{ name: 'client', summary: 'which client', required: true, completes: 'client' }],
  flags: {
    group: { type: 'list', short: 'g', value: 'name', summary: 'preview for this group; may be repeated' },
    ...FORMAT_FLAG,
  },
  examples: [
    { command: 'thv client show cursor', shows: 'its file and its entries' },
    { command: 'thv client show cursor --group default', shows: 'what registering it would write' },
  ],
  run: async ({ daemon, out, signal }, { args: [name = ''], flags }) => {
    const client = await daemon()
    const [known] = await knownClients(client, [name], signal)
    if (known === undefined) return
    const query = flags.group.length > 0 ? { groups: flags.group.join(',') } : {}
    const groups = async () => (await client.call('listGroups', {}, signal)).groups.map((group) => group.name)
    const preview = await orDidYouMean({ wanted: flags.group, known: groups, seeAll: 'thv group list' }, () =>
      client.call('previewClient', { params: { name: known.client_type }, query }, signal),
    )
    if (flags.format === 'json') return out.json(preview)
    const { showClient } = await import('./show-client.ts')
    showClient(out, preview)
  },
})
