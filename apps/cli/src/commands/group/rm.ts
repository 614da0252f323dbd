import { FORMAT_FLAG, defineCommand } from '../../command.ts'
import type { DaemonClient } from '../../connect/daemon-client.ts'
import type { Context } from '../../context.ts'

export const groupRm = defineCommand({
  words: 'group rm',
  aliases: ['remove', 'delete'],
  summary: 'Remove a group',
  description:
    'Removes a group. Its workloads move to the group "default" and keep running, or are removed too with --with-workloads.\n\n' +
    'If the group has workloads, you are asked first; --yes skips the question.',
  args: [{ name: 'name', summary: 'which group', required: true, completes: 'group' }],
  flags: {
    withWorkloads: { type: 'boolean', summary: 'remove its workloads too, with their configuration and logs' },
    yes: { type: 'boolean', short: 'y', summary: 'do not ask' },
    ...FORMAT_FLAG,
  },
  examples: [
    { command: 'thv group rm research', shows: 'its workloads move to the group default' },
    { command: 'thv group rm old --with-workloads --yes', shows: 'removes its workloads too, without asking' },
  ],
  run: async (context, { args: [name = ''], flags }) => {
    const client = await context.daemon()
    const members = await membersOf(context, client, name)
    // The daemon refuses to remove the default group, so there is nothing to ask.
    if (members.length > 0 && !flags.yes && name !== 'default')
      await askFirst(context, name, members, flags.withWorkloads)
    await client.call(
      'deleteGroup',
      { params: { name }, query: { 'with-workloads': flags.withWorkloads } },
      context.signal,
    )
    if (flags.withWorkloads && members.length > 0) {
      const { waitForOutcome } = await import('../../output/wait-for-outcome.ts')
      await waitForOutcome(context, client, members, 'delete')
    }
    if (flags.format === 'json') return context.out.json({ name })
    const rest =
      members.length === 0
        ? ''
        : flags.withWorkloads
          ? ' with its workloads'
          : `; now in the group default: ${members.join(', ')}`
    context.out.line(`group ${name} is removed${rest}`)
  },
})

async function membersOf({ signal }: Context, client: DaemonClient, group: string): Promise<string[]> {
  const { orGroupMeant } = await import('./or-group-meant.ts')
  const query = { all: true, group }
  const { workloads } = await orGroupMeant(
    client,
    [group],
    () => client.call('listWorkloads', { query }, signal),
    signal,
  )
  return workloads.map(({ name }) => name)
}

async function askFirst(
  { signal }: Context,
  name: string,
  members: readonly string[],
  withWorkloads: boolean,
): Promise<void> {
  const [{ ThvError }, { confirm }] = await Promise.all([
    import('@toolhaven/core/errors'),
    import('../../output/prompt.ts'),
  ])
  const fate = withWorkloads ? 'remove them too' : 'move them to the group default'
  const message = `Group ${name} has ${members.join(', ')}: remove the group and ${fate}?`
  const instead = `group ${name} has workloads (${members.join(', ')}); add --yes to ${fate}`
  if (!(await confirm({ message, instead, signal }))) throw new ThvError('conflict', 'cancelled; nothing was changed')
}
