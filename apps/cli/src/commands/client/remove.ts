import { FORMAT_FLAG, defineCommand } from '../../command.ts'
import { orDidYouMean } from '../../output/did-you-mean.ts'
import { knownClients } from './known-clients.ts'

export const clientRemove = defineCommand({
  words: 'client remove',
  aliases: ['unregister', 'rm'],
  summary: 'Unregister clients',
  description:
    'Removes the entries of Toolhaven from the configuration files of clients and stops updating them. Your own entries stay. ' +
    'With --group, removes clients from those groups only.',
  args: [{ name: 'client', summary: 'which clients', required: true, variadic: true, completes: 'client' }],
  flags: {
    group: { type: 'list', short: 'g', value: 'name', summary: 'from this group only; may be repeated' },
    ...FORMAT_FLAG,
  },
  examples: [
    { command: 'thv client remove vscode', shows: 'from every group' },
    { command: 'thv client remove cursor --group default', shows: 'from one group' },
  ],
  run: async ({ daemon, out, signal }, { args, flags }) => {
    const client = await daemon()
    const names = (await knownClients(client, args, signal)).map((each) => each.client_type)
    const body = { names, ...(flags.group.length > 0 && { groups: flags.group }) }
    const known = async () => (await client.call('listGroups', {}, signal)).groups.map(({ name }) => name)
    const groups = { wanted: flags.group, known, seeAll: 'thv client list-registered' }
    await orDidYouMean(groups, () => client.call('unregisterClients', { body }, signal))
    if (flags.format === 'json') return out.json(body)
    const where = flags.group.length > 0 ? ` from ${flags.group.join(', ')}` : ''
    for (const name of names) out.line(`${name} is removed${where}`)
    const { fileProblems, leftoverNotes } = await import('./file-problems.ts')
    for (const note of leftoverNotes(await fileProblems(client, names, signal), true)) out.note(note)
  },
})
