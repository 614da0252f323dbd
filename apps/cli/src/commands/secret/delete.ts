import { conflict, isThvError } from '@toolhaven/core/errors'
import { FORMAT_FLAG, defineCommand } from '../../command.ts'
import type { DaemonClient } from '../../connect/daemon-client.ts'
import { orSecretMeant } from './or-secret-meant.ts'

export const secretDelete = defineCommand({
  words: 'secret delete',
  aliases: ['rm', 'remove'],
  summary: 'Delete a secret',
  description:
    'Deletes a secret permanently. A secret that workloads use is deleted only with --force: they keep running, but cannot ' +
    'start again until the secret is back.',
  args: [{ name: 'name', summary: 'which secret', required: true, completes: 'secret' }],
  flags: {
    force: { type: 'boolean', summary: 'delete it even if workloads use it' },
    ...FORMAT_FLAG,
  },
  examples: [{ command: 'thv secret delete github-token', shows: 'it is gone at once' }],
  run: async ({ daemon, out, signal }, { args: [name = ''], flags }) => {
    const client = await daemon()
    const users = flags.force ? [] : await usersOf(client, name, signal)
    if (users.length > 0) throw conflict(inUse(name, users))
    await orSecretMeant(client, name, () => client.call('deleteSecret', { params: { key: name } }, signal), signal)
    if (flags.format === 'json') return out.json({ key: name })
    out.line(`secret ${name} is deleted`)
  },
})

const inUse = (name: string, users: readonly string[]) =>
  `secret ${name} is used by ${users.join(', ')}\n` +
  `Without it they cannot start again. Change or remove them first, or delete it with --force.`

/** Names of the workloads that cannot start without it. */
async function usersOf(client: DaemonClient, key: string, signal: AbortSignal): Promise<string[]> {
  const { secretsIn } = await import('@toolhaven/core/workloads/generated-secrets')
  const { workloads } = await client.call('listWorkloads', { query: { all: true } }, signal)
  const users: string[] = []
  for (const { name } of workloads) {
    try {
      const config = await client.call('exportWorkload', { params: { name } }, signal)
      if (secretsIn(config).has(key)) users.push(name)
    } catch (error) {
      // The workload has been removed since it was listed.
      if (!isThvError(error, 'not-found')) throw error
    }
  }
  return users
}
