import { lifecycleCommand } from '../lifecycle/lifecycle-command.ts'

const FORCED = '"thv rm" removes running workloads too. Remove the option.'

export const rm = lifecycleCommand('delete', {
  words: 'rm',
  aliases: ['remove', 'delete'],
  summary: 'Remove workloads',
  description:
    'Stops workloads and removes them with their configuration, logs and client entries. Stored secrets stay.\n\n' +
    'With --all, you are asked first; --yes skips the question.',
  foreignOptions: { '-f': FORCED, '--force': FORCED },
  examples: [
    { command: 'thv rm time', shows: 'one workload' },
    { command: 'thv rm --group default', shows: 'all of a group; the group stays' },
    { command: 'thv rm --all --yes', shows: 'every workload, without asking' },
  ],
  done: 'is removed',
  notes: async (client, names, signal) => {
    const { adoptions, faults } = await client.call('discoverServers', {}, signal)
    const adopted = adoptions
      .filter(({ name }) => names.includes(name))
      .map(
        ({ name }) =>
          `Clients still point to ${name}, which was adopted; "thv adopt --undo ${name}" gives it back to them.`,
      )
    if (faults.length === 0) return adopted
    const registered = (await client.call('listClients', {}, signal)).map(({ name }) => name)
    const { fileProblems, leftoverNotes } = await import('./client/file-problems.ts')
    return [...adopted, ...leftoverNotes(await fileProblems(client, registered, signal))]
  },
})
