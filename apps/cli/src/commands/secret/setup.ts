import { FORMAT_FLAG, defineCommand } from '../../command.ts'
import { PROVIDERS, PROVIDER_TYPES, type ProviderType, parseProvider } from './provider-types.ts'

export const secretSetup = defineCommand({
  words: 'secret setup',
  summary: 'Set up where secrets are kept',
  description:
    'Sets up the secrets provider. At a terminal it asks. In a script, name the provider and pipe in the password, ' +
    'if you want to choose it.\n\n' +
    'Otherwise Toolhaven makes a random password and stores it in the keyring of this system or, if there is none, ' +
    'in a file that only you can read. An existing store is opened, never replaced.\n\n' +
    'In CI, use the provider environment: it reads variables of the daemon that begin with TOOLHAVEN_SECRET_. The secret ' +
    'github-token is in TOOLHAVEN_SECRET_GITHUB_TOKEN.',
  flags: {
    provider: { type: 'text', value: 'provider', summary: 'provider to set up', choices: PROVIDER_TYPES },
    ...FORMAT_FLAG,
  },
  examples: [
    { command: 'thv secret setup --provider encrypted', shows: 'a sealed file with a random password' },
    {
      command: 'cat password.txt | thv secret setup --provider encrypted',
      shows: 'a sealed file with your own password',
    },
    { command: 'thv secret setup --provider environment', shows: 'variables of the daemon, for CI' },
  ],
  run: async ({ daemon, out, signal }, { flags }) => {
    const provider = await chosenProvider(flags.provider, signal)
    const password = provider === 'encrypted' ? await readPassword(flags.provider === undefined, signal) : undefined
    const client = await daemon()
    const body = { provider_type: provider, ...(password !== undefined && { password }) }
    const done = await client.call('setupSecrets', { body }, signal)
    if (flags.format === 'json') return out.json(done)
    out.line(`secrets provider ${provider} is set up`)
    out.note(done.message)
  },
})

const INSTEAD = `there is no terminal to ask at; name the provider: --provider ${PROVIDER_TYPES.join(', or ')}`

async function chosenProvider(given: string | undefined, signal: AbortSignal): Promise<ProviderType> {
  if (given !== undefined) return parseProvider(given) ?? 'encrypted'
  const { chooseOne } = await import('../../output/prompt.ts')
  const chosen = await chooseOne({ message: 'Where should secrets be kept?', instead: INSTEAD, signal }, PROVIDERS)
  return parseProvider(chosen) ?? 'encrypted'
}

async function readPassword(asking: boolean, signal: AbortSignal): Promise<string | undefined> {
  const { readPipe } = await import('../../output/read-pipe.ts')
  if (!asking) return (await readPipe()) || undefined
  const { askHidden, chooseOne } = await import('../../output/prompt.ts')
  const kinds = [
    {
      value: 'random',
      label: 'A random one',
      hint: 'stored in the keyring of this system, or in a file that only you can read',
    },
    { value: 'own', label: 'My own', hint: 'also opens the store on another machine' },
  ]
  const kind = await chooseOne({ message: 'Which password seals the file?', instead: INSTEAD, signal }, kinds)
  if (kind !== 'own') return undefined
  const password = await askHidden({ message: 'Password (not shown)', instead: INSTEAD, signal })
  const again = await askHidden({ message: 'Once more', instead: INSTEAD, signal })
  const { invalid } = await import('@toolhaven/core/errors')
  if (again !== password) throw invalid('the two passwords differ; nothing was changed')
  return password
}
