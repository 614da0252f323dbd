import { FORMAT_FLAG, defineCommand } from '../../command.ts'
import { orSecretMeant } from './or-secret-meant.ts'

export const secretDelete = defineCommand({
  words: 'secret delete',
  summary: 'Delete a secret',
  description:
    'Deletes a secret for good. A workload that uses it keeps running and cannot be started again until the secret is back.',
  args: [{ name: 'name', summary: 'which secret', required: true, completes: 'secret' }],
  flags: FORMAT_FLAG,
  examples: [{ command: 'thv secret delete github-token', shows: 'it is gone at once' }],
  run: async ({ daemon, out, signal }, { args: [name = ''], flags }) => {
    const client = await daemon()
    await orSecretMeant(client, name, () => client.call('deleteSecret', { params: { key: name } }, signal), signal)
    if (flags.format === 'json') return out.json({ key: name })
    out.line(`secret ${name} is deleted`)
  },
})
