import { FORMAT_FLAG, defineCommand } from '../../command.ts'
import { orSetUp } from './or-set-up.ts'
import { PROVIDER_TYPES, parseProvider } from './provider-types.ts'

export const secretProvider = defineCommand({
  words: 'secret provider',
  summary: 'Show or change where secrets are kept',
  description:
    'Shows the secrets provider, or changes to another one: encrypted (a sealed file), 1password (read only), none, or ' +
    'environment (read only: variables of the daemon that begin with TOOLHAVEN_SECRET_). ' +
    'Secrets of the previous provider stay there, and are available again when you change back.\n\n' +
    '"thv secret setup" does the same with questions, and accepts a password.',
  args: [{ name: 'provider', summary: 'provider to change to', choices: PROVIDER_TYPES }],
  flags: FORMAT_FLAG,
  examples: [
    { command: 'thv secret provider', shows: 'the one in use and what it can do' },
    { command: 'thv secret provider encrypted', shows: 'change to the sealed file' },
  ],
  run: async ({ daemon, out, signal }, { args: [wanted], flags }) => {
    const type = wanted === undefined ? undefined : parseProvider(wanted)
    const client = await daemon()
    if (type !== undefined) {
      const { message } = await client.call('setupSecrets', { body: { provider_type: type } }, signal)
      out.note(message)
    }
    const details = await orSetUp(() => client.call('getSecretsProvider', {}, signal))
    if (flags.format === 'json') return out.json(details)
    const abilities = Object.entries(details.capabilities).filter(([, can]) => can)
    const able = abilities.map(([name]) => name.replace('can_', '')).join(', ')
    out.line(`${details.provider_type} (can: ${able || 'nothing'})`)
  },
})
